// The icon and the tone of an event; `bridle/words` has its words.
import { eventWords } from 'bridle/words'
import type { IconName } from '../ui/icon-names.ts'
import { foldScript } from '../ui/script-text.ts'

export interface EventLook {
  readonly icon: IconName
  readonly tone: '' | 'warn' | 'danger'
  readonly title: string
  /** Empty where the title says all of it. */
  readonly text: string
}

/** `at`: when it happened, in ms since 1970. */
export const eventLook = (type: string, payload: unknown, at?: number): EventLook => {
  const { title, detail } = eventWords(type, payload, at)
  const icon = icons[type]
  return {
    icon: (typeof icon === 'function' ? icon((payload ?? {}) as Payload) : icon) ?? 'dot',
    tone: type === 'error' ? 'danger' : isWarning(type, payload) ? 'warn' : '',
    title,
    text: foldScript(detail),
  }
}

type Payload = { readonly [name: string]: unknown }

const icons: { readonly [type: string]: IconName | ((payload: Payload) => IconName) } = Object.assign(
  Object.create(null),
  {
    session_checkpoint: 'flag',
    context_compacted: 'fold-vertical',
    context_warning: 'triangle-alert',
    antahkarana: 'shield',
    approval_required: ({ kind }: Payload) => (kind === 'question' ? 'circle-question-mark' : 'shield-alert'),
    approval_applied: ({ decision = 'approved', kind }: Payload) =>
      decision === 'approved' ? (kind === 'question' ? 'circle-check' : 'shield-check') : 'ban',
    session_paused: 'circle-pause',
    session_resumed: 'play',
    session_archived: 'archive',
    session_unarchived: 'archive',
    session_renamed: 'archive',
    session_imported: 'download',
    cancel_requested: 'ban',
    policy_set: 'sliders-horizontal',
    signal_received: 'radio',
    memory_decided: 'brain',
    branched: 'git-branch',
    budget_crossed: 'gauge',
    budget_raised: 'gauge',
    retry_scheduled: 'rotate-cw',
    output_superseded: ({ interrupted }: Payload) => (interrupted ? 'audio-lines' : 'rotate-cw'),
    directive: 'route',
    execution_feedback: 'corner-down-right',
    transport_diagnostic: 'unplug',
    subagent_event: 'bot',
    artifact_published: 'package',
    instructions_loaded: 'layers',
    error: 'circle-x',
  },
)

const WARNINGS: ReadonlySet<string> = new Set([
  ...['approval_required', 'budget_crossed', 'context_warning', 'output_superseded', 'retry_scheduled'],
  'transport_diagnostic',
])

const isWarning = (type: string, payload: unknown): boolean => {
  const { status, kind } = (payload ?? {}) as Payload
  return WARNINGS.has(type) && (kind === 'provider_fallback' || (status !== 'ok' && status !== 'recovered'))
}
