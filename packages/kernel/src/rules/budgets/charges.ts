// Usage beside the runs of a session. A run may have ended when it comes, and nothing follows the end of a run: the usage is then
// the session's own.
import type { Answers, ChargeCommand } from '../../commands.ts'
import type { DecisionBuilder } from '../decision-builder.ts'

export const charge = (w: DecisionBuilder, { usage }: ChargeCommand): Answers['charge'] => {
  if (w.run?.phase === 'started') w.addToRun('usage', usage)
  else w.add('usage', usage)
  return {}
}
