// An event in the words of a thread: an icon, what happened, and what the event says about it.

import {
  durationText,
  budgetAmountText as limitAmount,
  budgetNameText as limitName,
  budgetLimitText as limitText,
  plural,
} from 'bridle/words'
import { CLAIMED } from '../../../ui/actor-words.ts'
import type { IconName } from '../../../ui/icon-names.ts'
import { foldScript } from '../../../ui/script-text.ts'
import { answerWords, compactionNumbers } from '../../event-words.ts'
import type { BranchCheckpoints, Marker } from '../thread-index.ts'

export interface MarkerWords {
  readonly icon: IconName
  readonly title: string
  readonly text: string
}

interface Payload {
  readonly [name: string]: unknown
}

export const markerWords = ({ type, payload, isHearsay, checkpoints }: Marker): MarkerWords => {
  const fields = payload as Payload
  if (isHearsay)
    return { icon: 'quote', title: 'Said by the engine', text: `${nameText(type)}${after(summary(fields))}` }
  const words = Object.hasOwn(wordings, type) ? wordings[type]?.(fields, checkpoints) : undefined
  return words ?? { icon: 'dot', title: nameText(type), text: summary(fields) }
}

const wordings: { readonly [type: string]: (fields: Payload, checkpoints?: BranchCheckpoints) => MarkerWords } = {
  session_checkpoint: (fields) => ({
    icon: 'flag',
    title: fields.sequence === undefined ? 'Checkpoint' : `Checkpoint ${fields.sequence}`,
    text: foldScript(text(fields.summary_text)),
  }),
  context_compacted: (fields) => ({ icon: 'fold-vertical', title: 'Context compacted', text: compactionText(fields) }),
  context_warning: (fields) => ({
    icon: 'triangle-alert',
    title: typeof fields.usage_pct === 'number' ? `Context ${Math.round(fields.usage_pct)} % full` : 'Warning',
    text: text(fields.message) || text(fields.kind),
  }),
  antahkarana: (fields) => ({ icon: 'shield', title: 'Guardrail', text: guardrailText(fields) }),
  approval_applied: (fields) => {
    const { icon, title, reason } = answerWords(fields)
    return { icon, title, text: [text(fields.tool_name), reason].filter(Boolean).join(' · ') }
  },
  session_paused: (fields) => ({ icon: 'pause', title: 'Paused', text: byWhom(fields) }),
  session_resumed: (fields) => ({ icon: 'play', title: 'Resumed', text: byWhom(fields) }),
  session_archived: (fields) => ({ icon: 'archive', title: 'Archived', text: byWhom(fields) }),
  session_unarchived: (fields) => ({ icon: 'archive', title: 'Taken out of the archive', text: byWhom(fields) }),
  session_renamed: (fields) => ({ icon: 'archive', title: `Renamed to ${text(fields.title)}`, text: byWhom(fields) }),
  session_imported: (fields) => ({
    icon: 'download',
    title: 'Imported from a file',
    text: [byWhom(fields), 'what is above is the word of the file'].filter(Boolean).join(' · '),
  }),
  cancel_requested: (fields) => ({ icon: 'ban', title: 'Cancelled', text: byWhom(fields) }),
  policy_set: (fields) => ({ icon: 'sliders-horizontal', title: 'Policy set', text: byWhom(fields) }),
  signal_received: (fields) => ({ icon: 'radio', title: `Signal ${text(fields.name)}`, text: byWhom(fields) }),
  memory_decided: (fields) => ({
    icon: 'brain',
    title: `Memory ${text(fields.decision)}`,
    text: [text(fields.key), byWhom(fields)].filter(Boolean).join(' · '),
  }),
  branched: (fields, checkpoints) => ({
    icon: 'git-branch',
    title: 'Branched',
    text: branchText(fields, checkpoints),
  }),
  budget_crossed: (fields) => ({
    icon: 'gauge',
    title: 'Budget crossed',
    text: crossedText(fields),
  }),
  budget_raised: (fields) => ({
    icon: 'gauge',
    title: 'Budget raised',
    text: list(fields.budgets).map(limitName).join(', '),
  }),
  retry_scheduled: (fields) => ({
    icon: 'rotate-cw',
    title: `Attempt ${text(fields.attempt)} follows`,
    text: text(fields.reason),
  }),
  output_superseded: ({ interrupted }) =>
    interrupted
      ? { icon: 'audio-lines', title: 'Interrupted', text: heardText(object(interrupted)) }
      : { icon: 'rotate-cw', title: 'Written again', text: 'text before this was withdrawn' },
  directive: (fields) => ({
    icon: 'route',
    title: `Directive ${text(fields.action_type)}`,
    text: [
      text(fields.risk_tier),
      fields.requires_user_approval === true ? 'asks first' : '',
      summary(object(fields.payload)),
    ]
      .filter(Boolean)
      .join(' · '),
  }),
  execution_feedback: (fields) => ({ icon: 'corner-down-right', title: 'Shell reported', text: feedbackText(fields) }),
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
const object = (value: unknown): Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : {}
const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(text) : [])
const after = (words: string): string => (words === '' ? '' : `: ${words}`)
const nameText = (name: string): string => name.replaceAll('_', ' ')

const byWhom = (fields: Payload): string => [actorText(fields), text(fields.reason)].filter(Boolean).join(' · ')

/** Marks a name that the caller supplied without a credential for it. */
const actorText = (fields: Payload): string =>
  fields.actor_claimed === true ? `${text(fields.actor)} ${CLAIMED}` : text(fields.actor)

const compactionText = (fields: Payload): string =>
  [...compactionNumbers(fields), text(fields.summary)].filter(Boolean).join(' · ')

const guardrailText = (fields: Payload): string => {
  const layers = Array.isArray(fields.layers) ? list(fields.layers) : Object.keys(object(fields.layers))
  const confidence = typeof fields.confidence === 'number' ? `confidence ${fields.confidence}` : ''
  return [confidence, layers.filter(Boolean).join(', '), text(fields.trace_id)].filter(Boolean).join(' · ')
}

const branchText = (fields: Payload, { source, own }: BranchCheckpoints = {}): string => {
  const parent = object(fields.parent)
  const [name, event] = [text(parent.id) || 'its parent', text(parent.seq)]
  return [
    source === undefined
      ? `from ${name}${event && ` at event ${event}`}`
      : `from checkpoint ${source} of ${name}, event ${event}`,
    own === undefined ? '' : `saved as checkpoint ${own}`,
    byWhom(fields),
  ]
    .filter(Boolean)
    .join(' · ')
}

const heardText = ({ audio_ms: ms }: Payload): string => (typeof ms === 'number' ? `after ${durationText(ms)}` : '')

const crossedText = ({ budget, limit, value }: Payload): string => {
  const name = text(budget)
  return [
    typeof limit === 'number' ? limitText(name, limit) : limitName(name),
    typeof value === 'number' ? `at ${limitAmount(name, value)}` : '',
  ]
    .filter(Boolean)
    .join(', ')
}

const feedbackText = (fields: Payload): string => {
  const entries = Array.isArray(fields.entries) ? fields.entries.map(object) : []
  const outcomes = entries.map((entry) => text(entry.outcome) || text(entry.status)).filter(Boolean)
  return [plural(entries.length, 'directive'), [...new Set(outcomes)].join(', '), text(fields.actor)]
    .filter(Boolean)
    .join(' · ')
}

/** The fields of an event that this page has no words for. */
const summary = (fields: Payload): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => (text(value) === '' ? [] : [`${nameText(name)} ${text(value).slice(0, 120)}`]))
    .slice(0, 4)
    .join(' · ')
