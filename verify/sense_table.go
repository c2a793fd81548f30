package verify

// senseTable is what the words mean: the axis, then the words of one end, a bar, and those of the other.
const senseTable = `
negation: not no never none neither nor cannot without unable hardly barely lack lacks lacked lacking absence fail fails failed failing failure non nothing nobody |
than: than |
only: only just merely solely |
passive: by via |
amount: increase increases increased increasing increment rise rises rose risen rising grow grows grew growth growing more most greater greatest higher highest elevate elevated elevation raise raised gain gains expand expanded expansion larger largest upregulate upregulated upregulation accumulate accumulated accumulation double doubled triple surge soar exceed exceeds exceeded above abundant longer older heavier bigger majority
 | decrease decreases decreased decreasing decline declines declined declining reduce reduces reduced reducing reduction less least lower lowest lowering lowered fewer fewest smaller smallest drop drops dropped fall falls fell fallen diminish diminished downregulate downregulated downregulation shrink shrank depletion depleted deplete lose loses lost loss below shorter younger lighter halve halved deficient deficiency deficit minority
activity: activate activates activated activation promote promotes promoted promoting promotion induce induces induced inducing induction stimulate stimulates stimulated stimulation enhance enhances enhanced enhancing enhancement enable enables enabled facilitate facilitates trigger triggers triggered encourage encourages drive drives driven cause causes caused causing elicit elicits augment augments support supports supported supporting potentiate potentiates amplify amplifies allow allows allowed permit permits permitted strengthen boost boosts
 | inhibit inhibits inhibited inhibiting inhibition inhibitor suppress suppresses suppressed suppressing suppression prevent prevents prevented preventing prevention block blocks blocked blocking impair impairs impaired impairment attenuate attenuates attenuated impede impedes disrupt disrupts disrupted disruption hinder hinders deactivate disable disables disabled abolish abolishes abolished abrogate abrogates abrogated antagonize antagonizes restrict restricts restricted repress represses repressed repression silence silencing forbid forbids forbidden deny denies denied prohibit prohibits prohibited eliminate eliminates eliminated discourage discourages weaken weakens hamper hampers
quality: improve improves improved improving improvement better best benefit benefits beneficial effective effectively efficacious efficacy success successful succeed succeeds succeeded superior useful safe healthy correct valid
 | worsen worsens worsened worsening worse worst harm harms harmful ineffective inferior useless unsafe detrimental adverse unsuccessful deteriorate deteriorates deteriorated deterioration incorrect invalid
speed: fast faster fastest quick quicker quickly accelerate accelerates accelerated rapid rapidly earlier sooner | slow slower slowest slowly slowed delay delays delayed later
risk: risk susceptible susceptibility predispose predisposes predisposed vulnerable vulnerability prone sensitive sensitivity | protect protects protected protective protection resistant resistance resist immune tolerance
link: associated association associate associates correlate correlates correlated correlation linked link links relate related relates depend depends dependent require requires required requirement essential necessary needed affect affects affected influence influences influenced contribute contributes role critical crucial key important sufficient involve involves involved indispensable impact
 | unrelated independent independently dispensable irrelevant unnecessary unassociated optional redundant uninvolved unaffected insufficient
sign: positive positively | negative negatively inverse inversely
when: before prior pre preceding precede precedes precedes ago | after following post subsequent afterwards
order: first initial initially begin begins began begun start starts started launch launched open opens opened opening | last final finally end ends ended finish finished stop stops stopped close closes closed closing
presence: present presence include includes included including contain contains | absent missing exclude excludes excluded excluding excl
give: buy buys bought purchase purchased acquire acquired | sell sells sold
trade: import imports imported | export exports exported
contest: win wins won winner victory defeat defeated beat | loser lost defeats
accept: accept accepts accepted approve approves approved agree agrees agreed | reject rejects rejected refuse refuses refused disagree disapprove
limit: maximum max most upper | minimum min least
often: always all every everyone both | never none sometimes some
visible: public publicly | private privately
truth: true truth real | false fake untrue
can: possible able capable | impossible unable incapable
side: left western west | right eastern east
pole: northern north | southern south
sex: male man men he boy boys husband father son brother king | female woman women she girl girls wife mother daughter sister queen
heat: hot hotter warm warmer | cold colder cool cooler
live: alive living survive survived survives born | dead die dies died death killed deceased
mode: synchronous synchronously sync | asynchronous asynchronously async
change: mutable writable | immutable readonly
move: add adds added adding insert inserts append | remove removes removed removing delete deletes deleted deleting
onoff: on | off
law: legal lawful | illegal unlawful
guilt: guilty convicted | innocent acquitted
`

// unspacedTable is the same for Chinese; the axis "plain" is of words that hold a negation and are none.
const unspacedTable = `
plain: 不仅 不但 不断 不同 不久 不过 不管 不论 不少 非常 无论 未来 未必 没收 无线 不只 不光 不等 而不是 大小 多少 高低 增减 没关系 不锈 未婚 无人 非洲 比如 比赛 比例 对比 相比 比较 之一 上下 前后 左右 |
negation: 没有 没 不 未 无 非 无法 不能 不会 并非 不是 并不 从不 从未 未能 尚未 不再 不可 毫无 缺乏 |
than: 比 |
passive: 被 由 受到 遭到 |
amount: 增加 上升 提高 增长 升高 扩大 增强 上涨 高于 多于 大于 超过 更多 更高 更大 较高 较多 最高 最多 最大 以上 长于 | 减少 下降 降低 缩小 减弱 下跌 低于 少于 小于 不足 更少 更低 更小 较低 较少 最低 最少 最小 以下 短于 减轻 减小 跌
activity: 促进 激活 允许 启用 诱导 刺激 鼓励 支持 推动 导致 引起 触发 | 抑制 阻止 禁止 禁用 阻碍 防止 反对 妨碍 限制 避免 阻断
quality: 改善 有效 成功 优于 更好 最好 有益 安全 好于 正确 | 恶化 无效 失败 劣于 更差 最差 有害 危险 不如 错误
speed: 加快 加速 提前 更快 最快 快于 早于 | 减慢 减缓 推迟 延迟 更慢 最慢 慢于 晚于
link: 相关 有关 必须 必需 必要 依赖 需要 影响 | 无关 不必 无需 独立 可选 不需要
when: 之前 以前 前 | 之后 以后 后
order: 开始 首次 第一 打开 开启 启动 成立 | 结束 最后 最终 关闭 停止 解散
presence: 存在 包括 包含 | 不存在 不包括 不包含 缺少 排除 除外
give: 买入 购买 收购 | 卖出 出售
trade: 进口 | 出口
contest: 获胜 胜利 击败 赢得 | 失利 落败 输给 输
accept: 接受 批准 同意 通过 | 拒绝 驳回 否决
often: 总是 所有 全部 一直 | 从来不 偶尔 有时 部分
visible: 公开 公共 公有 | 私有 秘密 私人
truth: 真实 真 | 虚假 假
side: 左 西 | 右 东
pole: 北 | 南
sex: 男 男性 丈夫 父亲 儿子 | 女 女性 妻子 母亲 女儿
live: 活着 幸存 出生 生 | 去世 死亡 逝世 死
mode: 同步 | 异步
move: 添加 新增 加入 插入 | 移除 删除 去除
law: 合法 | 非法 违法
guilt: 有罪 | 无罪
`
