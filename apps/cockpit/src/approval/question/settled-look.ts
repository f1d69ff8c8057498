// How a question was settled, in a word, an icon and a sentence.
import { isDefaultAnswer, questionSettlementText } from 'bridle/words'
import type { IconName } from '../../ui/icon-names.ts'
import type { CardSettlement } from '../card-approval.ts'

interface SettledLook {
  readonly word: string
  readonly icon: IconName
  readonly tone: '' | 'done' | 'needs'
  readonly consequence: string
}

export const settledLook = ({
  decision,
  isDefault,
  reason,
}: Pick<CardSettlement, 'decision' | 'isDefault' | 'reason'>): SettledLook => {
  if (isDefault)
    return {
      ...{ word: 'Expired', icon: 'timer-off', tone: 'needs' },
      consequence: 'No answer in time. The agent continues with the default.',
    }
  switch (decision) {
    case 'approved':
      return { word: 'Answered', icon: 'circle-check', tone: 'done', consequence: '' }
    case 'denied':
      return {
        ...{ word: 'Declined', icon: 'ban', tone: '' },
        consequence: reason ? 'The agent receives the reason and continues.' : 'The agent continues without an answer.',
      }
    case 'expired':
      return {
        ...{ word: 'Expired', icon: 'timer-off', tone: 'needs' },
        consequence: 'No answer in time. The agent continues without one.',
      }
    default:
      return { word: 'Closed', icon: 'ban', tone: '', consequence: `${questionSettlementText(decision, null)}.` }
  }
}

/** The same of the event that settled it. */
export const settledEventLook = (event: {
  readonly decision?: CardSettlement['decision']
  readonly reason?: string | null
  readonly actor?: string | null
}): SettledLook => {
  const { decision = 'approved', reason, actor } = event
  return settledLook({ decision, isDefault: isDefaultAnswer({ decision, reason, actor }), reason: reason ?? null })
}
