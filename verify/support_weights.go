package verify

// supportWeights are the intercept and the weights of the features, in the order of FeatureNames. They are the output of
// `kbagent eval fit --data DIR`.
var supportWeights = [...]float64{-0.44, 2.46, -0.87, -0.86, -0.64, -2.73}
