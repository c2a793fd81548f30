package verify

import "strings"

// The units of dates and shares.
const (
	unitPercent = "%"
	unitYear    = "year#"
	unitMonth   = "month#"
	unitDay     = "day#"
)

// unit is a unit of measure: how many of its base it is.
type unit struct {
	base  string
	scale float64
}

// units by name, in lower case.
var units = readUnits()

func readUnits() map[string]unit {
	units := make(map[string]unit)
	for base, lines := range map[string]map[float64]string{
		"s": {1e-9: "ns nanosecond nanoseconds", 1e-6: "µs us microsecond microseconds", 1e-3: "ms millisecond milliseconds 毫秒",
			1: "s sec secs second seconds 秒 秒钟", 60: "min mins minute minutes 分钟", 3600: "h hr hrs hour hours 小时 个小时",
			86400: "day days 天", 604800: "week weeks 周 星期 个星期", 2629800: "month months 个月", 31557600: "year years yr yrs"},
		"m":         {1e-9: "nm", 1e-6: "µm", 1e-3: "mm 毫米", 1e-2: "cm 厘米", 1: "metre metres meter meters 米", 1e3: "km kilometre kilometres kilometer kilometers 公里 千米", 1609.344: "mile miles 英里", 0.3048: "ft foot feet 英尺", 0.0254: "inch inches"},
		"g":         {1e-6: "µg", 1e-3: "mg 毫克", 1: "g gram grams 克", 1e3: "kg kilogram kilograms 公斤 千克", 1e6: "tonne tonnes 吨", 453.59: "lb lbs pound pounds"},
		"B":         {1: "byte bytes 字节", 1 << 10: "kb kib", 1 << 20: "mb mib", 1 << 30: "gb gib", 1 << 40: "tb tib"},
		"Hz":        {1: "hz", 1e3: "khz", 1e6: "mhz", 1e9: "ghz"},
		"W":         {1: "w watt watts", 1e3: "kw", 1e6: "mw"},
		"l":         {1e-3: "ml 毫升", 1: "litre litres liter liters 升"},
		"°":         {1: "°c celsius 摄氏度 度 degrees"},
		unitPercent: {1: "percent pct"},
		"$":         {1: "dollar dollars usd 美元"}, "€": {1: "euro euros eur 欧元"}, "£": {1: "gbp 英镑"}, "¥": {1: "yuan rmb cny 元 人民币"},
		"times":  {1: "times fold 倍 次"},
		"people": {1: "people person persons 人"},
		unitYear: {1: "年"}, unitMonth: {1: "月"}, unitDay: {1: "日 号"},
	} {
		for scale, names := range lines {
			for _, name := range strings.Fields(names) {
				units[name] = unit{base, scale}
			}
		}
	}
	return units
}

var (
	currencies    = map[string]string{"$": "$", "€": "€", "£": "£", "¥": "¥", "￥": "¥"}
	ordinalSuffix = wordSet("st nd rd th")
	multipliers   = map[string]float64{"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "bn": 1e9}

	unspacedMultipliers = map[rune]float64{'十': 10, '百': 1e2, '千': 1e3, '万': 1e4, '亿': 1e8, '萬': 1e4, '億': 1e8}

	numberWords = map[string]float64{"zero": 0, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
		"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
		"nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
		"hundred": 100, "thousand": 1000, "twice": 2, "once": 1}

	months = map[string]int{"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9,
		"october": 10, "november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9,
		"oct": 10, "nov": 11, "dec": 12}

	aboutWords = wordSet("about around approximately roughly nearly almost over under some circa approx estimated 约 大约 近 超过")
)

// isMonth tells the month of May from the verb, by its capital and a number beside it.
func isMonth(s string, words []word, i int) bool {
	c := s[words[i].start]
	if c < 'A' || c > 'Z' {
		return false
	}
	name := strings.ToLower(s[words[i].start:words[i].end])
	if name != "may" && name != "march" && len(name) > 3 {
		return true
	}
	number := func(j int) bool {
		return j >= 0 && j < len(words) && s[words[j].start] >= '0' && s[words[j].start] <= '9'
	}
	return number(i-1) || number(i+1)
}

// aboutBefore reports a word before words[i] that makes its number a round one.
func aboutBefore(s string, words []word, i int) bool {
	for j := max(i-2, 0); j < i; j++ {
		if aboutWords[strings.ToLower(s[words[j].start:words[j].end])] {
			return true
		}
	}
	return strings.HasSuffix(s[:words[i].start], "约") || strings.HasSuffix(s[:words[i].start], "近")
}
