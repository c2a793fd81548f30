package rules

// Tolerance is how far below a threshold a value may lie and still meet it: the mean of three 0.7 is
// 0.6999999999999998 in float64 and is still 0.7. Every comparison of a grade, a retrieval score or an average
// with a threshold goes through AtLeast.
const Tolerance = 1e-9

// AtLeast says whether x meets the threshold t, within Tolerance.
func AtLeast(x, t float64) bool { return x >= t-Tolerance }
