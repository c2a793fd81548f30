package verify

// supportWeights are the intercept and the weights of the features, in the order of FeatureNames. They are the output of
// `kbagent eval fit --data DIR`.
var supportWeights = [...]float64{-0.23, 2.22, -1.14, -1.17, -0.66, -2.77}
