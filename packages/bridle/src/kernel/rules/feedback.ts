// Execution feedback: a shell says what became of directives. The next prompt that comes from a shell brings it to the agent.
import type { Answers, FeedbackCommand } from '../commands.ts'
import type { DecisionBuilder } from './decision-builder.ts'

/** A session that has ended takes feedback too: its last directives were executed after its end. */
export const recordFeedback = (w: DecisionBuilder, { entries, actor }: FeedbackCommand): Answers['feedback'] => {
  if (entries.length > 0) w.add('execution_feedback', { entries: [...entries], ...(actor !== undefined && { actor }) })
  return { entries: entries.length }
}
