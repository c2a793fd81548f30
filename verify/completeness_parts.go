package verify

import (
	"regexp"
	"strings"
)

// compParts are the built-in checks by the name of the part. Each reads an answer that is not empty.
var compParts = map[string]func(compAnswer) bool{
	"subject":            compHasSubject,
	"definition":         compHasDefinition,
	"detail":             compHasDetail,
	"steps":              compHasSteps,
	"specifics":          compHasSpecifics,
	"both_sides":         compHasBothSides,
	"contrast":           compHasContrast,
	"reason":             func(a compAnswer) bool { return a.any(compReason) || a.any(compPurpose) },
	"items":              compHasItems,
	"verdict":            compHasVerdict,
	"support":            func(a compAnswer) bool { return a.content >= compFewTerms },
	"root_cause":         func(a compAnswer) bool { return a.any(compReason) || a.any(compFault) },
	"fix_steps":          func(a compAnswer) bool { return compHasSteps(a) || a.any(compFix) },
	"code_location":      func(a compAnswer) bool { return compLocation.MatchString(a.prose) },
	"verification":       func(a compAnswer) bool { return a.any(compVerify) },
	"affected_component": func(a compAnswer) bool { return a.any(compComponent) || compHost.MatchString(a.prose) },
	"setting":            func(a compAnswer) bool { return compSetting.MatchString(a.prose) },
	"package_version":    func(a compAnswer) bool { return a.any(compVersion) },
	"test_name":          func(a compAnswer) bool { return compTestName.MatchString(a.prose) },
}

// The sizes that the checks ask for, in different content terms, and the shares of the question's.
const (
	compFewTerms    = 4 // more than a bare yes or no
	compClauseTerms = 6 // more than a bare statement
	compManyTerms   = 8 // more than one clause
	compSubjectMost = 0.5
	compSubjectHalf = 0.34 // in Chinese, where pairs of characters cross the borders of words
)

// compHasSubject: the answer names what the question is about.
func compHasSubject(a compAnswer) bool {
	if compIdeographic(a.question) {
		return a.names(a.subject) >= compSubjectHalf
	}
	return a.names(a.subject) >= compSubjectMost
}

var (
	compCopula     = regexp.MustCompile(`\b(is|are|was|were|means?|refers? to|stands? for|denotes?|is called|defined as|describes?|consists? of)\b|是|指的|是指|，即|称为|叫做|表示|意思`)
	compIndefinite = regexp.MustCompile(`^\W*(an?|the)\s`)
)

// compHasDefinition: a sentence says of the subject what it is; or the answer starts with what it is.
func compHasDefinition(a compAnswer) bool {
	if len(a.sentences) > 0 && compIndefinite.MatchString(strings.ToLower(a.sentences[0])) {
		return true
	}
	for _, s := range a.sentences {
		one := a.sentence(s)
		if one.any(compCopula) && (len(a.subject) == 0 || one.names(a.subject) > 0) {
			return true
		}
	}
	return false
}

// compHasDetail: more than a bare statement: sentences, a long one, a list, a table, code.
func compHasDetail(a compAnswer) bool {
	return len(a.sentences) > 1 || a.content >= compClauseTerms || a.numbered+a.bullets+a.rows > 1 || a.code
}

var (
	compSequence = regexp.MustCompile(`\b(first|firstly|then|next|after that|afterwards|finally|lastly)\b|首先|然后|接着|最后|随后|之后`)
	// compImperative is a sentence that tells to do something.
	compImperative = regexp.MustCompile(`(?i)^\W*(?:(?:please|then|next|first|finally|simply|just|to [^,]{1,80},|if [^,]{1,80},|in [^,]{1,60},|you (?:can|should|must|may|will|would)(?: typically| usually| also)?(?: (?:need|have) to)?|you (?:need|have) to|you'll (?:need|have) to|(?:we|i) recommend to)[\s,\[(*"]+)*(?:add|adjust|apply|ask|build|call|change|check|choose|click|clone|complete|configure|connect|contact|convert|copy|create|declare|define|delete|deploy|disable|download|edit|enable|enter|export|fill|find|fix|follow|get|go|import|include|increase|initiali[sz]e|insert|install|invoke|keep|launch|log|make|mount|move|navigate|obtain|open|pass|paste|pin|place|press|provide|publish|put|raise|reboot|register|reinstall|reload|remove|rename|replace|request|reset|restart|restore|return|run|save|select|send|set|sign|specify|start|stop|submit|switch|take|tap|turn|type|uninstall|update|upgrade|upload|use|visit|wait|write)\b`)
	compOrders     = regexp.MustCompile(`(^|[^申邀])请[^求示]|(^|[，,；;：:、]|先|再|然后|接着|最后|需要|需|可以|可|应该|应|必须|要)\s*(在[^，。]{1,20}[里中内下上])?(把[^，。]{1,20}|将[^，。]{1,20})?(使用|运行|执行|打开|点击|设置|安装|添加|修改|输入|选择|重启|更新|升级|调用|编辑|提交|联系|增加|删除|改为|停止|检查|下载|配置|创建)`)
)

// compHasSteps: a numbered list, a list, a sequence, or a sentence that tells what to do. Of how something works, any detail.
func compHasSteps(a compAnswer) bool {
	if compHasSequence(a) || compMechanism.MatchString(a.question) && compHasDetail(a) {
		return true
	}
	for _, s := range a.sentences {
		if compImperative.MatchString(s) || compOrders.MatchString(s) {
			return true
		}
	}
	return false
}

// compHasSequence: one thing to do after the other.
func compHasSequence(a compAnswer) bool {
	return a.numbered > 1 || a.bullets > 1 || len(compSequence.FindAllStringIndex(a.lower, 2)) > 1
}

// compThing is something that can be typed or clicked: a path, a file, an option, a variable, a quoted name, a menu.
var compThing = regexp.MustCompile(`[\w.-]*/[\w./-]+|\b\w+\.[a-z]{1,5}\b|(?:^|\s)--?[a-zA-Z][\w-]*|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|"[^"\n]+"|“[^”\n]+”|「[^」\n]+」|\s>\s|→|\*\*[^*\n]+\*\*`)

// compHasSpecifics: what to do, exactly: code, something that can be typed or clicked, several steps, or many words. Of how
// something works, any detail.
func compHasSpecifics(a compAnswer) bool {
	if compMechanism.MatchString(a.question) && compHasDetail(a) {
		return true
	}
	return a.code || compHasSequence(a) || compThing.MatchString(a.prose) || a.content >= compManyTerms
}

// compHasBothSides: the answer names both things that are compared.
func compHasBothSides(a compAnswer) bool {
	left, right, ok := compCompared(a.question)
	if !ok {
		return compHasSubject(a)
	}
	return a.names(left) >= compSubjectHalf && a.names(right) >= compSubjectHalf
}

var compContrast = regexp.MustCompile(`\b(whereas|while|but|however|unlike|instead|rather|in contrast|on the other hand|than|both|neither|same|differs?|difference|only|more|less|fewer|does not|doesn't|isn't|is not)\b|[，,；;]\s*而[^且]|但|相比|不同|区别|差异|更[^新改换正]|没有|不支持|一样|反之|相反`)

// compHasContrast: a word that sets one against the other, a table, or a sentence for each side.
func compHasContrast(a compAnswer) bool {
	if a.rows > 0 || a.any(compContrast) {
		return true
	}
	left, right, ok := compCompared(a.question)
	if !ok {
		return false
	}
	onLeft, onRight := false, false
	for _, s := range a.sentences {
		one := a.sentence(s)
		l, r := one.names(left) >= compSubjectHalf, one.names(right) >= compSubjectHalf
		onLeft, onRight = onLeft || l && !r, onRight || r && !l
	}
	return onLeft && onRight
}

var (
	compReason  = regexp.MustCompile(`\b(because|since|due to|owing to|caused by|causes?|the reason|reasons?|results? (from|in)|resulted from|stems? from|therefore|thus|hence|as a result|root cause|leads? to|led to|comes? from|happens? (when|if|since)|occurs? (when|if)|that is why)\b|因为|由于|原因|导致|引起|造成|因此|所以|源于`)
	compPurpose = regexp.MustCompile(`\b(so that|in order to|to (avoid|prevent|allow|ensure|keep|make|reduce|protect|enable|save|support|improve|let|help|simplify)|for the sake of|which would)\b|为了|以便|以免|从而|避免`)
	// compFault says that something is not as it should be.
	compFault  = regexp.MustCompile(`\b(is|are|was|were|has|have|had)\s+(\w+\s+)?(missing|expired|invalid|wrong|incorrect|outdated|misconfigured|corrupt(ed)?|unavailable|unreachable|full|exhausted|too (small|low|short|large|old|long|high)|not (set|installed|found|running|configured|defined|reachable|available|supported))\b|缺少|过期|无效|不正确|未设置|未安装|不存在|找不到|冲突|不足`)
	compFix    = regexp.MustCompile(`\b(to (fix|resolve|solve|repair|correct) (this|it|that|the)|(fix|solution|workaround|remedy)\b.{0,20}\b(is|:)|should be (set|changed|updated|replaced|increased|installed|removed)|(increase|raise|lower|set|change|update|upgrade|downgrade|replace|restart|reinstall|remove|rename|add)\w*\b.{1,60}\bto\b)|解决|修复|改为|应当|升级到|替换`)
	compVerify = regexp.MustCompile(`\b(verify|verified|verification|confirm|re-?run|re-?test|test again|try again|run .{0,40}\bagain|check (that|whether|if|the (status|output|result|log))|make sure|ensure that|should (now|then|no longer)|(you|it) (should|will) (see|print|return|show|pass|report)|to (verify|confirm|check|test)|expected output|succeeds?|validate)\b|验证|确认|重新运行|再次运行|应该(会)?看到|检查是否|测试通过|复测`)
)

var compEnumeration = regexp.MustCompile(`[^,，、;；.。]+[,，、;；][^,，、;；.。]+([,，、;；]|\band\b|\bor\b|和|以及|及|与)|\b(and|as well as)\b|\b(only|none|no)\b|[^、]+、[^、]+|只有|没有|和|以及`)

// compHasItems: a list, a table, or several things in a row; or that there is one only, or none. Of a question for
// one thing, any statement.
func compHasItems(a compAnswer) bool {
	if compSingular.MatchString(a.question) && a.content >= compFewTerms {
		return true
	}
	return a.numbered+a.bullets > 1 || a.rows > 0 || a.any(compEnumeration)
}

var compYesNo = regexp.MustCompile(`^\W*(yes|no|yep|nope|not|never|always|correct|true|false|only|partly|partially|sometimes|it depends|that is|this is)\b|^\W*(是|否|不|可以|能|会|有|没有|对|支持|需要|无法|未|暂不|当然|取决)|\b(can|cannot|can't|could|does|do|doesn't|don't|did|didn't|is|isn't|are|aren't|was|were|has|have|will|won't|must|may|should)\b|可以|不能|无法|支持|不会|需要|没有|是`)

// compHasVerdict: yes or no in so many words, or a sentence that says the question's own words as a statement. A request
// wants none.
func compHasVerdict(a compAnswer) bool {
	if compPolite.MatchString(a.question) {
		return compHasSubject(a)
	}
	for i, s := range a.sentences {
		one := a.sentence(s)
		if strings.HasSuffix(strings.TrimSpace(s), "?") || strings.HasSuffix(strings.TrimSpace(s), "？") {
			continue
		}
		if i == 0 && compFirstWord.MatchString(one.lower) || one.names(a.subject) >= compSubjectHalf && one.any(compYesNo) || len(a.subject) > 0 && one.names(a.subject) > 0.6 {
			return true
		}
	}
	return false
}

// compFirstWord is an answer that starts with its verdict.
var compFirstWord = regexp.MustCompile(`^\W*(yes|no|yep|nope|not|never|correct|true|false|partly|partially|sometimes|it depends)\b|^[^\p{L}]*(是的|否|不|可以|能|会|有的|没有|对|支持|需要|无法|当然|取决)`)

// What questions about errors ask for.
var (
	compLocation  = regexp.MustCompile(`(?i)[\w./-]+\.(go|py|js|jsx|ts|tsx|java|kt|c|cc|cpp|h|hpp|cs|rb|rs|php|swift|scala|sh|sql|vue|html|css|yaml|yml|json|toml|xml)\b(:\d+)?|\blines?\s+\d+|\b\w+(\.\w+)*\(\)|\b(in|inside|of)\s+(the\s+)?` + "`?" + `[\w.]+` + "`?" + `\s+(function|method|class|module|file|package|handler)\b|\b(function|method|class|module|file|package)\s+` + "[`'\"]" + `?\w+|第\s*\d+\s*行|函数\s*\w+|文件\s*\w+`)
	compComponent = regexp.MustCompile(`\b(server|service|host|node|pod|container|cluster|instance|database|disk|memory|cpu|network|dns|port|load balancer|proxy|gateway|queue|cache|broker|volume|certificate|firewall|vpn|switch|router|deployment|replica|worker|scheduler|bucket|kubelet|ingress)s?\b|服务器|服务|节点|容器|集群|数据库|磁盘|内存|网络|端口|网关|缓存|证书|防火墙|主机`)
	compHost      = regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}\b|\b[\w-]+(\.[\w-]+)*:\d{2,5}\b`)
	compSetting   = regexp.MustCompile(`\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\b[\w.-]+\s*=\s*\S|` + "`[^`\n]+`" + `|\b[\w./-]+\.(ya?ml|toml|json|ini|conf|cfg|env|properties|xml)\b|(?i:\.env\b|\b(setting|option|flag|variable|parameter|key|property|field)\s+["'` + "`" + `]?\w+|\b\w+\s+(setting|option|flag|variable|parameter)\b)|配置项|环境变量|参数\s*\w+|选项`)
	compVersion   = regexp.MustCompile(`\bv?\d+\.\d+(\.\d+)*([-+][\w.]+)?\b|@\^?~?v?\d+|\bversions?\s+\d+|版本\s*\d+|\d+\s*版本`)
	compTestName  = regexp.MustCompile(`\bTest[A-Z_]\w*|\btest_\w+|\b\w+_test\b|\b\w+Test\b|\b[\w/-]+[._](test|spec)\.\w+|\b(?:it|describe|test)\(["']|(?i:\btest (case|named|called)\b|\bthe ["'` + "`" + `]?[\w-]+["'` + "`" + `]? test\b)|测试用例|测试\s*\w+`)
)
