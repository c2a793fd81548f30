package verify

// supportWeights are the intercept and the weights of the features, in the order of FeatureNames.
//
// They come from `kbagent eval fit --data DIR` (2026-11-21), a logistic regression with L2 1e-3 in which each set, and each class
// of a set, counts the same, on the development parts of WiCE (265 claims, supported against the rest) and SciFact (381 claims,
// SUPPORT against NEI; 288, SUPPORT against CONTRADICT). Area under the curve, fitted and by five-fold cross-validation in which no text is in two folds:
//
//	WiCE .820 .812 · SciFact NEI .826 .817 · SciFact CONTRADICT .674 .664
//
// The features, and that four sentences may carry a claim, were chosen on the same cases, which the cross-validation does not
// see: expect less on others. Sets that may only be evaluated on (FaithBench, RGB) had no part in the weights; that the signals
// of a claim's sentences add up, and are not averaged, was decided with a look at FaithBench's development part.
var supportWeights = [...]float64{-0.23, 2.22, -1.14, -1.17, -0.66, -2.77}

// The scores from which Lexical calls a claim supported, and partially so. By the same command they divide best: supported
// claims from the others (balanced accuracy, cross-validated, .712 over the three sets), and claims of WiCE that are
// partially supported from those that are not (.696, fitted).
const (
	lexicalSupported = 0.50
	lexicalPartial   = 0.33
)
