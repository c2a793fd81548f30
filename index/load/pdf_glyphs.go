package load

import (
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// simpleEncoding is the letters of the codes of a simple font (PDF 32000-1, annex D): those of a named encoding, with what
// the font has of its own. A font without an encoding has Latin letters, as nearly all have.
func simpleEncoding(d *pdfFile, v any) (letters [256]string) {
	base, differences := d.name(v), []any(nil)
	if own := d.dict(v); own != nil {
		base, differences = d.name(own["BaseEncoding"]), d.list(own["Differences"])
	}
	page := charmap.Windows1252
	if base == "MacRomanEncoding" {
		page = charmap.Macintosh
	}
	for code := range letters {
		if code >= ' ' {
			letters[code] = string(page.DecodeByte(byte(code)))
		}
	}
	if base == "" || base == "StandardEncoding" {
		letters['\''], letters['`'] = "’", "‘"
	}
	code := 0
	for _, v := range differences {
		switch v := d.get(v).(type) {
		case float64:
			code = intOf(v)
		case pdfName:
			if code >= 0 && code < 256 {
				if s := glyph(string(v)); s != "" {
					letters[code] = s
				}
			}
			code++
		}
	}
	return letters
}

// glyph is the letters of a glyph by its name, "" for an unknown one (Adobe Glyph List: names of letters and signs, letters
// with accents, uni00E9, u1F600; what follows a dot is a variant).
func glyph(name string) string {
	name, _, _ = strings.Cut(name, ".")
	if len([]rune(name)) == 1 {
		return name
	}
	if s, ok := glyphs[name]; ok {
		return s
	}
	if digits, ok := strings.CutPrefix(name, "uni"); ok && len(digits) >= 4 {
		return codePoint(digits[:4])
	}
	if digits, ok := strings.CutPrefix(name, "u"); ok && len(digits) >= 4 && len(digits) <= 6 {
		return codePoint(digits)
	}
	for accent, mark := range accents {
		if letter, ok := strings.CutSuffix(name, accent); ok && len(letter) == 1 {
			return norm.NFC.String(letter + mark)
		}
	}
	return ""
}

func codePoint(digits string) string {
	n, err := strconv.ParseUint(digits, 16, 21)
	if err != nil || n == 0 || n >= 0xd800 && n < 0xe000 || n > 0x10ffff {
		return ""
	}
	return string(rune(n))
}

var accents = map[string]string{
	"grave": "\u0300", "acute": "\u0301", "circumflex": "\u0302", "tilde": "\u0303", "macron": "\u0304", "breve": "\u0306",
	"dotaccent": "\u0307", "dieresis": "\u0308", "ring": "\u030a", "hungarumlaut": "\u030b", "caron": "\u030c",
	"cedilla": "\u0327", "commaaccent": "\u0327", "ogonek": "\u0328",
}

// glyphs are the names that are not made of a letter and an accent.
var glyphs = func() map[string]string {
	m := map[string]string{}
	fields := strings.Fields(`space \u0020 exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle ' quoteright ’
parenleft ( parenright ) asterisk * plus + comma , hyphen - minus − period . slash / zero 0 one 1 two 2 three 3 four 4 five 5 six 6
seven 7 eight 8 nine 9 colon : semicolon ; less < equal = greater > question ? at @ bracketleft [ backslash \ bracketright ]
asciicircum ^ underscore _ grave ` + "`" + ` quoteleft ‘ braceleft { bar | braceright } asciitilde ~ exclamdown ¡ cent ¢ sterling £ currency ¤
yen ¥ brokenbar ¦ section § dieresis ¨ copyright © ordfeminine ª guillemotleft « logicalnot ¬ registered ® macron ¯ degree °
plusminus ± acute ´ mu µ paragraph ¶ periodcentered · cedilla ¸ ordmasculine º guillemotright » onequarter ¼ onehalf ½
threequarters ¾ questiondown ¿ AE Æ ae æ OE Œ oe œ Oslash Ø oslash ø Lslash Ł lslash ł Eth Ð eth ð Thorn Þ thorn þ germandbls ß
multiply × divide ÷ dotlessi ı dotlessj ȷ florin ƒ fraction ⁄ Euro € trademark ™ perthousand ‰ endash – emdash — dagger † daggerdbl ‡
bullet • ellipsis … guilsinglleft ‹ guilsinglright › quotesinglbase ‚ quotedblbase „ quotedblleft “ quotedblright ” circumflex ˆ
tilde ˜ breve ˘ dotaccent ˙ ring ˚ hungarumlaut ˝ ogonek ˛ caron ˇ ff ff fi fi fl fl ffi ffi ffl ffl f_f ff f_i fi f_l fl
Alpha Α Beta Β Gamma Γ Delta Δ Epsilon Ε Zeta Ζ Eta Η Theta Θ Iota Ι Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο Pi Π Rho Ρ Sigma Σ Tau Τ
Upsilon Υ Phi Φ Chi Χ Psi Ψ Omega Ω alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ nu ν xi ξ
omicron ο pi π rho ρ sigma σ sigma1 ς tau τ upsilon υ phi φ chi χ psi ψ omega ω infinity ∞ notequal ≠ lessequal ≤ greaterequal ≥
partialdiff ∂ summation ∑ product ∏ integral ∫ radical √ approxequal ≈ lozenge ◊ arrowright → arrowleft ← arrowup ↑ arrowdown ↓
arrowdblright ⇒ element ∈ emptyset ∅ intersection ∩ union ∪ logicaland ∧ logicalor ∨ similar ∼ asteriskmath ∗ checkmark ✓ nbspace \u0020
Dcroat Đ dcroat đ Hbar Ħ hbar ħ kgreenls ĸ Eng Ŋ eng ŋ afii61352 №`)
	for i := 0; i+1 < len(fields); i += 2 {
		m[fields[i]] = strings.ReplaceAll(fields[i+1], `\u0020`, " ")
	}
	return m
}()
