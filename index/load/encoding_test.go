package load_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/kbagent/kbagent/index/load"
)

const (
	german   = "Der Schlüssel öffnet die Tür. Die Größe wird während der Prüfung geändert.\n"
	french   = "Les élèves étaient déjà à l’école. Où êtes-vous allés après la réunion ?\n"
	chinese  = "数据库每天凌晨两点半备份一次，备份保存三十天，之后自动删除。\n"
	taiwan   = "資料庫的索引是什麼？索引可以加快查詢速度。每天早上八點備份資料庫。\n"
	japanes  = "データベースのバックアップは毎日午前八時に行います。設定ファイルを編集してください。\n"
	koreans  = "데이터베이스 백업은 매일 아침 여덟 시에 실행됩니다.\n"
	russian  = "Резервное копирование базы данных выполняется каждый день в восемь часов утра.\n"
	oneUmlau = "The cafe in the Straße is closed on Mondays; please use the one next door instead.\n"
)

func TestTextInTheUsualEncodingsIsRead(t *testing.T) {
	for name, tt := range map[string]struct {
		enc  encoding.Encoding
		text string
	}{
		"windows-1252, German":             {charmap.Windows1252, german},
		"windows-1252, French":             {charmap.Windows1252, french},
		"windows-1252, one letter":         {charmap.Windows1252, oneUmlau},
		"windows-1252, one short word":     {charmap.Windows1252, "café"},
		"ISO-8859-1":                       {charmap.ISO8859_1, german},
		"windows-1251":                     {charmap.Windows1251, russian},
		"KOI8-R":                           {charmap.KOI8R, russian},
		"GBK":                              {simplifiedchinese.GBK, chinese},
		"GB18030":                          {simplifiedchinese.GB18030, chinese},
		"Big5":                             {traditionalchinese.Big5, taiwan},
		"Shift_JIS":                        {japanese.ShiftJIS, japanes},
		"EUC-JP":                           {japanese.EUCJP, japanes},
		"ISO-2022-JP":                      {japanese.ISO2022JP, japanes},
		"EUC-KR":                           {korean.EUCKR, koreans},
		"UTF-16LE with a mark":             {unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), chinese + german},
		"UTF-16BE with a mark":             {unicode.UTF16(unicode.BigEndian, unicode.UseBOM), chinese + german},
		"UTF-16LE without a mark":          {unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), german},
		"UTF-16BE without a mark":          {unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), german},
		"UTF-8":                            {encoding.Nop, german + chinese},
		"UTF-8 with a mark, kept as it is": {encoding.Nop, "\ufeff" + german},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := tt.enc.NewEncoder().String(tt.text)
			require.NoError(t, err)
			assert.Equal(t, tt.text, read(t, "a.txt", data).Text)
		})
	}
}

func TestTextInADoubtfulEncodingIsRefusedWithTheBestGuess(t *testing.T) {
	data, err := simplifiedchinese.GBK.NewEncoder().String("数据库")
	require.NoError(t, err)
	err = refused(t, "a.txt", data)
	require.ErrorIs(t, err, load.ErrEncoding)
	assert.ErrorContains(t, err, "convert it to UTF-8")
}

func TestAnEncodingThatIsNotValidIsNotRepaired(t *testing.T) {
	require.ErrorIs(t, refused(t, "a.txt", "\xff\xfea\x00\x00\xd8b\x00"), load.ErrEncoding)
}

func TestAPageIsReadInTheEncodingThatItDeclares(t *testing.T) {
	data, err := japanese.ShiftJIS.NewEncoder().String("<meta charset=Shift_JIS><p>テスト")
	require.NoError(t, err)
	assert.Equal(t, "テスト\n", read(t, "a.html", data).Text)
}

func TestOtherFormatsAreReadInOtherEncodings(t *testing.T) {
	for name, text := range map[string]string{"a.csv": "名称,价格\n螺母一百个装备用零件,8\n", "a.md": "# 标题\n\n" + chinese, "a.go": "// " + chinese + "package a\n"} {
		data, err := simplifiedchinese.GBK.NewEncoder().String(text)
		require.NoError(t, err)
		assert.Equal(t, read(t, name, text), read(t, name, data), name)
	}
}
