// A session's status: always an icon, a word and a colour.
import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'
import { visibleText } from './plain-text.ts'

interface StatusLook {
  readonly word: string
  readonly icon: IconName
  readonly tone: '' | 'running' | 'needs' | 'done' | 'failed' | 'recovering'
}

const looks: { readonly [status: string]: StatusLook } = {
  queued: { word: 'Queued', icon: 'circle-dashed', tone: '' },
  running: { word: 'Running', icon: 'loader-circle', tone: 'running' },
  awaiting_approval: { word: 'Needs approval', icon: 'shield-alert', tone: 'needs' },
  paused: { word: 'Paused', icon: 'circle-pause', tone: '' },
  recovering: { word: 'Recovering', icon: 'rotate-cw', tone: 'recovering' },
  idle: { word: 'Idle', icon: 'circle', tone: '' },
  completed: { word: 'Completed', icon: 'circle-check', tone: 'done' },
  failed: { word: 'Failed', icon: 'circle-x', tone: 'failed' },
  cancelled: { word: 'Cancelled', icon: 'ban', tone: '' },
}

/** A status that this page does not know is shown by its name. */
export const statusLook = (status: string): StatusLook =>
  looks[status] ?? { word: visibleText(status.replaceAll('_', ' ')), icon: 'circle', tone: '' }

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
