// Usage that no run reports. Nothing may follow the end of a run, so late usage belongs to the session.
import type { Answers, ChargeCommand } from '../../commands.ts'
import type { DecisionBuilder } from '../decision-builder.ts'

export const charge = (w: DecisionBuilder, { usage }: ChargeCommand): Answers['charge'] => {
  if (w.run?.phase === 'started') w.addToRun('usage', usage)
  else w.add('usage', usage)
  return {}
}
