// Words for every visible event. A new event type does not compile without them.
import type { VisibleEventType } from '@bridle/events/catalogue'
import { bytesText, costText, durationText, exactCountText, plural } from './amounts.ts'
import { actorText, answerWords, approvalSubject, byActor } from './approvals.ts'
import { budgetNameText, crossedText, policyText } from './budgets.ts'
import {
  argumentText,
  capitalized,
  type Fields,
  fieldsOf,
  joined,
  listOf,
  nameText,
  summaryText,
  textOf,
  textsOf,
  valueText,
} from './fields.ts'
import { answerText, isQuestion, questionText, questionTitle } from './questions.ts'
import { statusText } from './statuses.ts'

/** An event as a title and a detail. */
export interface EventWords {
  /** A short title. */
  readonly title: string
  /** Empty if the title says it all. */
  readonly detail: string
}

/** Unknown types show their name and first fields. `at` is when the event happened, in ms since 1970. */
export const eventWords = (type: string, payload: unknown, at?: number): EventWords => {
  const fields = fieldsOf(payload)
  const [title, ...details] = Object.hasOwn(words, type)
    ? words[type as VisibleEventType](fields, at)
    : ([capitalized(nameText(type)), summaryText(fields)] as const)
  return { title, detail: joined(...details) }
}

/** `Paused by ann: lunch`. Messages of people and agents have no title. */
export const eventText = (type: string, payload: unknown, at?: number): string => {
  const { title, detail } = eventWords(type, payload, at)
  return detail !== '' && TEXTS.has(type) ? detail : [title, detail].filter(Boolean).join(': ')
}

const TEXTS: ReadonlySet<string> = new Set(['token', 'response', 'thinking', 'reflection', 'turn_start', 'completed'])

type Parts = readonly [title: string, ...details: string[]]

const byOperator =
  (act: string) =>
  (fields: Fields): Parts => [byActor(act, fields), textOf(fields.reason)]
const quote =
  (title: string) =>
  (fields: Fields): Parts => [title, textOf(fields.text)]

const words: { readonly [T in VisibleEventType]: (fields: Fields, at: number | undefined) => Parts } = {
  session: (fields) => ['Session', textOf(fields.session_id)],
  session_state: (fields) => ['Status', statusText(textOf(fields.status))],
  session_checkpoint: ({ checkpoint_type: type, sequence, summary_text: summary }) => [
    type === 'resume_seed' ? 'Start of the branch' : `Checkpoint ${textOf(sequence)}`.trim(),
    textOf(summary),
  ],
  policy_decision: ({ subject, outcome, reason }) => [
    'Policy',
    `${textOf(subject)} ${textOf(outcome)}`,
    textOf(reason),
  ],
  hook_event: ({ hook, phase, status }) => ['Hook', textsOf([hook, phase, status]).join(' ')],
  sandbox_notice: ({ requested_backend: requested, resolved_backend: resolved, isolation, reason }) => [
    'Sandbox',
    requested === resolved || requested === undefined ? textOf(resolved) : `${textOf(requested)} → ${textOf(resolved)}`,
    textOf(isolation),
    textOf(reason),
  ],
  transport_diagnostic: (fields) => diagnosticParts(fields),
  subagent_event: (fields) => [
    `Subagent ${textOf(fields.agent) || textOf(fields.agent_id)}`,
    textOf(fields.status),
    textOf(fields.session_id),
  ],
  turn_start: (fields) => ['Turn', textOf(fields.prompt)],
  turn_start_tools: (fields) => ['Tools', textsOf(fields.tools).join(', ')],
  token: quote('Text'),
  response: quote('Answer'),
  thinking: quote('Thinking'),
  reflection: quote('Reflection'),
  tool_call: (fields) => [`Call ${textOf(fields.name)}`, argumentText(fields.arguments)],
  tool_result: (fields) => [`Result of ${textOf(fields.tool_name) || 'a tool'}`, valueText(fields.result)],
  tool_outcome: ({ tool_name: tool, status, elapsed_ms: ms, error, reason }) => [
    `${textOf(tool)} ${textOf(status)}`,
    textOf(error) || textOf(reason),
    typeof ms === 'number' ? durationText(ms) : '',
  ],
  tool_batch: ({ wave, mode, tool_call_ids: calls }) => [
    plural(listOf(calls).length, 'call'),
    textOf(mode),
    wave === undefined ? '' : `wave ${textOf(wave)}`,
  ],
  tool_selected: (fields) => [`Selected ${textOf(fields.tool_name)}`, textOf(fields.reason)],
  tool_validation_error: ({ tool_name: tool, error, repaired }) => [
    `Invalid arguments for ${textOf(tool)}`,
    textOf(error),
    repaired === true ? 'repaired' : '',
  ],
  context_warning: ({ usage_pct: percent, message, kind }) => [
    typeof percent === 'number' ? `Context ${Math.round(percent)} % full` : 'Warning',
    textOf(message) || textOf(kind),
  ],
  context_compacted: (fields) => ['Context compacted', ...compactionNumbers(fields), textOf(fields.summary)],
  step_progress: ({ title, summary, step_id: id, status, index, total }) => [
    typeof index === 'number' ? `Step ${index}${typeof total === 'number' ? ` of ${total}` : ''}` : 'Step',
    textOf(title) || textOf(summary) || textOf(id),
    textOf(status),
  ],
  output_superseded: ({ interrupted, keep }) => {
    if (!interrupted) return ['Answer restarted', keep ? 'the end of the text was withdrawn' : 'the text was withdrawn']
    const { audio_ms: ms } = fieldsOf(interrupted)
    return ['Interrupted', typeof ms === 'number' ? `after ${durationText(ms)}` : '']
  },
  usage: (fields) => ['Usage', ...usageParts(fields)],
  retrieval: ({ query, citations }) => [
    'Retrieval',
    textOf(query),
    citations === undefined ? '' : plural(listOf(citations).length, 'citation'),
  ],
  antahkarana: ({ confidence, layers, trace_id: trace }) => [
    'Guardrail',
    typeof confidence === 'number' ? `confidence ${confidence}` : '',
    (Array.isArray(layers) ? textsOf(layers) : Object.keys(fieldsOf(layers))).join(', '),
    textOf(trace),
  ],
  approval_required: (fields) =>
    isQuestion(fields)
      ? [questionTitle(fields), questionText(fields)]
      : [`Approval needed for ${approvalSubject(fields)}`, textOf(fields.reason)],
  approval_applied: (fields) => {
    const { title, reason } = answerWords(fields)
    return [title, isQuestion(fields) ? answerText(fields) : textOf(fields.tool_name), reason]
  },
  session_paused: byOperator('Paused'),
  session_resumed: byOperator('Resumed'),
  session_archived: byOperator('Archived'),
  session_unarchived: byOperator('Unarchived'),
  session_renamed: (fields) => [byActor(`Renamed to ${textOf(fields.title)}`, fields)],
  session_imported: (fields) => [byActor('Imported from a file', fields), 'what is above is from that file'],
  cancel_requested: byOperator('Cancelled'),
  policy_set: (fields) => [byActor('Policy set', fields), textOf(fields.reason), ...limitsOf(fields.policy)],
  signal_received: (fields) => [byActor(`Signal ${textOf(fields.name)}`, fields)],
  memory_decided: (fields) => [
    byActor(`Memory ${textOf(fields.decision)}`, fields),
    textOf(fields.key),
    textOf(fields.reason),
  ],
  branched: (fields) => [byActor('Branched', fields), branchOrigin(fields), textOf(fields.reason)],
  budget_crossed: ({ budget, limit, value }) => ['Limit reached', crossedText(textOf(budget), limit, value)],
  budget_raised: (fields) => ['Limit raised', textsOf(fields.budgets).map(budgetNameText).join(', ')],
  retry_scheduled: ({ attempt, due, reason }, at) => [
    typeof due === 'number' && at !== undefined
      ? `Attempt ${textOf(attempt)} in ${durationText(Math.max(0, due - at))}`
      : `Attempt ${textOf(attempt)} scheduled`,
    textOf(reason),
  ],
  custom_event: (fields) => [textOf(fields.name) || 'Custom event', summaryText(fieldsOf(fields.data))],
  directive: (fields) => [
    `Directive ${textOf(fields.action_type)}`,
    textOf(fields.risk_tier),
    fields.requires_user_approval === true ? 'asks first' : '',
    summaryText(fieldsOf(fields.payload)),
  ],
  execution_feedback: (fields) => {
    const entries = listOf(fields.entries).map(fieldsOf)
    const outcomes = entries.map((entry) => textOf(entry.outcome) || textOf(entry.status)).filter(Boolean)
    return ['Shell reported', plural(entries.length, 'directive'), [...new Set(outcomes)].join(', '), actorText(fields)]
  },
  instructions_loaded: (fields) => {
    const files = listOf(fields.files)
    const leftOut = listOf(fields.left_out)
    const ignored = listOf(fields.ignored)
    return [
      'Instructions of the repository',
      plural(files.length, 'file'),
      leftOut.length === 0 ? '' : `${leftOut.length} left out`,
      ignored.length === 0
        ? ''
        : `settings ignored in ${ignored.map((each) => textOf(fieldsOf(each).path)).join(', ')}`,
    ]
  },
  artifact_published: ({ kind, name, size, reason }) =>
    kind === 'memory_proposal'
      ? ['Proposed memory', textOf(name), textOf(reason)]
      : ['Artifact', textOf(name), typeof size === 'number' ? bytesText(size) : ''],
  turn_end: ({ status, stop_reason: reason }) => [`Turn ${textOf(status)}`, reason === status ? '' : textOf(reason)],
  completed: (fields) => ['Completed', textOf(fields.result)],
  error: (fields) => ['Failed', textOf(fields.message)],
}

/** The numbers of a compaction, as reported by the engine. */
export const compactionNumbers = ({
  original_count: before,
  compacted_count: after,
  tokens_saved: saved,
  preserved_messages: kept,
}: Fields): readonly string[] => [
  ...(typeof before === 'number' && typeof after === 'number' ? [`${before} → ${after} messages`] : []),
  ...(typeof saved === 'number' ? [`${exactCountText(saved)} tokens saved`] : []),
  ...(typeof kept === 'number' ? [`${kept} kept as they were`] : []),
]

interface BranchCheckpoints {
  /** The number of the checkpoint that the branch was made from, and of the branch's own first checkpoint. */
  readonly source?: number | undefined
  readonly own?: number | undefined
}

/** `from bg-1 at event 52`, with the checkpoint number if the client knows it. */
export const branchOrigin = (payload: unknown, { source, own }: BranchCheckpoints = {}): string => {
  const parent = fieldsOf(fieldsOf(payload).parent)
  const [name, event] = [textOf(parent.id), textOf(parent.seq)]
  if (name === '') return ''
  return joined(
    source === undefined
      ? `from ${name}${event && ` at event ${event}`}`
      : `from checkpoint ${source} of ${name}, event ${event}`,
    own === undefined ? '' : `saved as checkpoint ${own}`,
  )
}

/** Names both models of a fallback first, because readers look for them. The reason follows. */
const diagnosticParts = ({ kind, status, reason, failure_count: failures, ...fields }: Fields): Parts => {
  const [from, to] = [
    textOf(fields.model_requested) || textOf(fields.provider_requested) || 'unknown',
    textOf(fields.model_actual) || textOf(fields.provider_actual) || 'unknown',
  ]
  if (kind === 'provider_fallback') return ['Provider fallback', `${from} → ${to}`, textOf(reason)]
  return [
    `${kind === 'subagent' ? 'Subagent' : 'Provider'} ${textOf(status)}`,
    textOf(kind),
    textOf(fields.provider_actual),
    textOf(reason),
    typeof failures === 'number' ? plural(failures, 'failure') : '',
  ]
}

const usageParts = ({
  total_tokens,
  input_tokens,
  output_tokens,
  cost_usd: cost,
  context_usage_pct: percent,
}: Fields) => {
  const tokens = total_tokens ?? Number(input_tokens ?? 0) + Number(output_tokens ?? 0)
  return [
    typeof tokens === 'number' ? `${exactCountText(tokens)} tokens` : '',
    typeof cost === 'number' ? costText(cost) : '',
    typeof percent === 'number' ? `context ${Math.round(percent)} %` : '',
  ]
}

const limitsOf = (policy: unknown): readonly string[] => {
  const { health } = fieldsOf(policy)
  return health === undefined ? [] : [policyText({ health: fieldsOf(health) })]
}
