package verify

// supportWeights are the intercept and the weights of the features, in the order of FeatureNames. They are the output of
// `kbagent eval fit --data DIR`.
var supportWeights = [...]float64{-0.57, 2.34, -1.30, -0.89, -0.27, -2.48}
