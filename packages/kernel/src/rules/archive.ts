// Putting a session away and taking it out again: only lists change, so that it works in every state, also after the end.
import type { Answers, Command } from '../commands.ts'
import type { DecisionBuilder } from './decision-builder.ts'
import { reasonAndActor } from './reason-and-actor.ts'

type ArchiveCommand = Command & { readonly type: 'archive' | 'unarchive' }

/** An archived session that is archived again stays as it is. */
export const archive = (w: DecisionBuilder, { reason, actor }: ArchiveCommand): Answers['archive'] => {
  if (!w.state.lifecycle.isArchived) w.add('session_archived', reasonAndActor({ reason, actor }))
  return { archived: true }
}

export const unarchive = (w: DecisionBuilder, { reason, actor }: ArchiveCommand): Answers['unarchive'] => {
  if (w.state.lifecycle.isArchived) w.add('session_unarchived', reasonAndActor({ reason, actor }))
  return { archived: false }
}

/** Somebody who sends a prompt works with the session again. */
export const unarchiveForPrompt = (w: DecisionBuilder, command: Command): void => {
  if (!w.state.lifecycle.isArchived || !PROMPTS.has(command.type)) return
  const { actor } = command as Command & { readonly actor?: string }
  w.add('session_unarchived', reasonAndActor({ actor }))
}

const PROMPTS: ReadonlySet<Command['type']> = new Set(['submit', 'steer', 'edit', 'reload'])
