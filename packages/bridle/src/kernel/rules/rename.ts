// The title of a session, as a person gives it: only lists and pages change, so that it works in every state, also after the end.
import type { Answers, Command } from '../commands.ts'
import type { DecisionBuilder } from './decision-builder.ts'
import { reasonAndActor } from './reason-and-actor.ts'

/** A session that has this title already stays as it is. */
export const rename = (
  w: DecisionBuilder,
  { title, actor }: Command & { readonly type: 'rename' },
): Answers['rename'] => {
  if (w.state.lifecycle.title !== title) w.add('session_renamed', { title, ...reasonAndActor({ actor }) })
  return { title }
}
