// A session's status: always an icon, a word and a colour.
import { statusWords } from 'bridle/words'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'
import { visibleText } from './plain-text.ts'

interface StatusLook {
  readonly icon: IconName
  readonly tone: '' | 'running' | 'needs' | 'done' | 'failed' | 'recovering'
}

const looks: { readonly [status: string]: StatusLook } = {
  queued: { icon: 'circle-dashed', tone: '' },
  running: { icon: 'loader-circle', tone: 'running' },
  awaiting_approval: { icon: 'shield-alert', tone: 'needs' },
  awaiting_answer: { icon: 'circle-question-mark', tone: 'needs' },
  paused: { icon: 'circle-pause', tone: '' },
  recovering: { icon: 'rotate-cw', tone: 'recovering' },
  idle: { icon: 'circle', tone: '' },
  completed: { icon: 'circle-check', tone: 'done' },
  failed: { icon: 'circle-x', tone: 'failed' },
  cancelled: { icon: 'ban', tone: '' },
}

/** A status that this page does not know is shown by its name. */
export const statusLook = (status: string): StatusLook & { readonly word: string } => ({
  ...(looks[status] ?? { icon: 'circle', tone: '' }),
  word: status === 'awaiting_answer' ? 'Needs an answer' : visibleText(statusWords(status).word),
})

interface StatusProps {
  readonly status: string
  readonly isPill?: boolean
  /** The word is for screen readers alone: the row has little room. */
  readonly isIconOnly?: boolean
}

export const Status = ({ status, isPill = false, isIconOnly = false }: StatusProps) => {
  const { word, icon, tone } = statusLook(status)
  return (
    <span className={`st ${tone}${isPill ? ' pill' : ''}`}>
      <Icon name={icon} size={14} isSpinning={status === 'running'} />
      <span className={isIconOnly ? 'vh' : undefined}>{word}</span>
    </span>
  )
}
