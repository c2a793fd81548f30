package reply

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// noise is how far outside of 0–1 a score may lie and still be one.
const noise = 1e-6

// entries reads one value per item.
func (b batch) entries(list []value) (Ratings, error) {
	if len(list) != b.n {
		return Ratings{}, b.wrongCount(len(list))
	}
	r := Ratings{Values: make([]float64, b.n)}
	for i, v := range list {
		score, graded, err := entry(v)
		if err != nil {
			return Ratings{}, faultf("score %d %s", i+1, err)
		}
		if !graded {
			score = UngradedValue
			r.Ungraded = append(r.Ungraded, i)
		}
		r.Values[i] = score
	}
	if len(r.Ungraded) == b.n {
		return Ratings{}, faultf("no item has a score")
	}
	return r, nil
}

// entry reads one score. Its error goes on after "score 2 …".
func entry(v value) (score float64, graded bool, err error) {
	switch v.kind {
	case kindNull:
		return 0, false, nil
	case kindNumber:
		return inRange(v.text)
	case kindString, kindBare:
		return entryText(foldString(trim(v.text)))
	case kindBool:
		return 0, false, faultf("is %s, not a number from 0 to 1", v.text)
	}
	return 0, false, fault("is not a number from 0 to 1")
}

var (
	percentage   = regexp.MustCompile(`^\+?(\d+(?:\.\d+)?) ?%$`)
	decimalComma = regexp.MustCompile(`^(?:0,\d+|1,0+)$`)
)

func entryText(s string) (score float64, graded bool, err error) {
	if n, ok := jsonNumber(s); ok {
		return inRange(n)
	}
	if m := percentage.FindStringSubmatch(s); m != nil {
		return percent(s, m[1])
	}
	if decimalComma.MatchString(s) {
		return inRange(strings.Replace(s, ",", ".", 1))
	}
	if notANumber(s) || noGrade[strings.ToLower(s)] {
		return 0, false, nil
	}
	return 0, false, faultf("is %s, not a number from 0 to 1", brief(s))
}

// percent reads 85% as 0.85. Less than 1% is more likely a fraction with a percent sign, and nobody knows.
func percent(text, digits string) (float64, bool, error) {
	p, err := strconv.ParseFloat(digits, 64)
	if err != nil || p > 100 || p > 0 && p < 1 {
		return 0, false, faultf("is %s, not a number from 0 to 1", brief(text))
	}
	return p / 100, true, nil
}

func inRange(digits string) (float64, bool, error) {
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || f < -noise || f > 1+noise {
		return 0, false, faultf("is %s, outside of the scale from 0 to 1", clip(digits, 40))
	}
	return math.Abs(min(max(f, 0), 1)), true, nil // Abs: -0 is 0
}

// notANumber recognises the ways to write NaN and infinity.
func notANumber(s string) bool {
	switch strings.ToLower(strings.TrimLeft(s, "+-")) {
	case "nan", "inf", "infinity":
		return true
	}
	return false
}

// noGrade holds the words for "no score".
var noGrade = set("", "-", "–", "—", "?", "n/a", "na", "n.a.", "none", "null", "nil", "undefined", "unknown", "not applicable", "not available")
