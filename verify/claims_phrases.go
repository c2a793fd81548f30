package verify

import "regexp"

// What is no claim is told by its words. Each list is short: a sentence that is taken for a claim by mistake costs a look at the
// evidence, one that is left out is never checked.
var (
	// Words that answer or greet before the sentence begins.
	claimInterjection = regexp.MustCompile(`(?i)^(yes|no|sure|certainly|absolutely|of course|great question|good question|ok(ay)?|well|right|hello|hi( there)?|hey|` +
		`thanks?( you)?( for [a-z ]{1,40})?|是的?|不是|好的?|当然可以|当然|你好|您好|谢谢|嗯)\s*[,，!！:：;；.。—–]\s*`)

	// Greetings, thanks, offers of help, and what a model says about itself.
	claimCourtesy = regexp.MustCompile(`(?i)^((hello|hi|hey|thanks|thank you|you're welcome|you are welcome|sure|certainly|of course|great question|goodbye|bye)\b.{0,40}[!.]?$|` +
		`(i )?hope (this|that|it)\b|let me know\b|(please )?(feel free|don't hesitate|do not hesitate)\b|(i'm|i am|i'd be|i would be) (happy|glad|here) to\b|` +
		`if you (have|need|would like|want) (any|more|further|me|additional|other)\b|as an? (ai|language model|assistant)\b|i('m| am) (an ai|just an ai|sorry)\b|` +
		`sorry\b|unfortunately, i\b|(你好|您好|谢谢|感谢|不客气|再见)|希望(这|以上|能|对)|(如果|如)(您|你)?(还)?(有|需要).{0,20}(问题|帮助|疑问|信息)|请随时|欢迎随时|作为(一个|一名)?(人工智能|AI|语言模型)|抱歉|对不起|很高兴)`)

	// What somebody thinks, advises or prefers.
	claimOpinion = regexp.MustCompile(`(?i)^((but |and |so |also,? )?(i|we) (think|believe|feel|guess|suppose|suspect|assume|recommend|suggest|advise|prefer|would (say|recommend|suggest|guess|argue|advise))\b|` +
		`i'd (say|recommend|suggest|guess|argue|advise)\b|in my (opinion|view|experience)\b|personally\b|my (opinion|guess|view|recommendation)\b|it seems to me\b|to my mind\b|arguably\b|` +
		`(我|我们|笔者)(个人)?(认为|觉得|建议|推荐|猜测?|估计|相信)|个人(认为|觉得|建议)|在我看来|依我看|我的(看法|观点|建议))`)

	// What the evidence does not say is a statement about the evidence.
	claimHedge = regexp.MustCompile(`(?i)(` +
		`\b(documents?|documentation|context|sources?|evidence|passages?|texts?|excerpts?|knowledge base|materials?|information|articles?|pages?|search results?|sections?|it|they|which)\b[^.;!?]{0,40}?\b(do|does|did)(n't|n’t| not) ` +
		`(explicitly |directly |specifically |clearly |seem to |appear to |actually |further )?(say|mention|contain|provide|specify|state|cover|include|give|tell|discuss|describe|address|explain|answer|indicate|list|reveal|disclose|name)\b[^.;!?]{0,30}?` +
		`(\b(documents?|context|evidence|information|details?|anything|whether|what|why|how|when|where|who|which|this|that|the|any|if|more)\b|[.!]?$)|` +
		`\bthere (is|are|was|were) (no|not any|not enough|insufficient|nothing)( \w+){0,3} (information|mention|evidence|details?|data|answer|passages?|documents?)\b.{0,60}\b(about|on|in|of|for|regarding|to|that|whether|here)\b|` +
		`\b(is|are|was|were) not (explicitly |directly |specifically |clearly |further )?(mentioned|stated|specified|covered|given|provided|described|discussed|addressed|found|included|answered) (in|by) (the|this|these|any|my|our)( \w+){0,2} (documents?|documentation|context|sources?|evidence|passages?|texts?|knowledge base|materials?|excerpts?)\b|` +
		`\b(i|we) (could(n't| not)|can(not|'t)|was unable to|were unable to|am unable to|did(n't| not)|do(n't| not)) (find|answer|determine|know|say|see|tell|locate|confirm|verify|have (enough|any|sufficient))\b|` +
		`\bno (relevant |further |specific )?(information|evidence|mention|passages?|documents?|details?)\b.{0,40}\b(was|were|is|are) (found|given|available|provided|made)\b|` +
		`\bnot found in (the|these|this)( \w+){0,2} (passages?|documents?|context|sources?)\b|` +
		`(文档|文件|资料|材料|上下文|来源|证据|知识库|段落|文章|原文|文中|文本|内容|信息|这些)[^。；！？]{0,12}(没有|未|并未|并没有|未能|不)(明确|直接|具体|详细)?(提到|提及|说明|提供|包含|给出|涉及|指出|记载|描述|涵盖|回答|介绍)|` +
		`(没有|未|未能)(找到|检索到|发现|查到)[^。；！？]{0,10}(信息|资料|内容|文档|证据|答案|说明)|^(我|我们)?(不知道|不清楚|无法(回答|确定|判断|得知|确认|从))|没有(足够|相关)的?(信息|资料|证据|内容))`)

	// A sentence that announces what follows and says nothing itself.
	claimLeadIn = regexp.MustCompile(`(?i)^((here|below|these|this) (is|are)\b.{0,80}[:：]$|((based on|according to) (the|these|this)( \w+){0,4}[,:]?\s*[:：]?$)|` +
		`(the )?(answer|summary|steps?|following|details?|conclusion|example|examples|note|in (short|summary|conclusion))( (is|are))?( as follows| below)?[:：.]?$|` +
		`.{0,60}\b(as follows|the following|like this|these steps|the steps below|below)[^.:]{0,40}[:：]$|` +
		`(以下|下面|如下|步骤|总结|答案|例如|注意)(是|为|列出)?.{0,20}[:：]$|(根据|基于).{0,20}[:：]$|.{0,20}(如下|以下).{0,10}[:：]$)`)
)
