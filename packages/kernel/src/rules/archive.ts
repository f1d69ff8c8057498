// Archiving only affects lists, so it is allowed in every state, even after the end.
import type { Answers, Command } from '../commands.ts'
import type { DecisionBuilder } from './decision-builder.ts'
import { reasonAndActor } from './reason-and-actor.ts'

type ArchiveCommand = Command & { readonly type: 'archive' | 'unarchive' }

export const archive = (w: DecisionBuilder, { reason, actor }: ArchiveCommand): Answers['archive'] => {
  if (!w.state.lifecycle.isArchived) w.add('session_archived', reasonAndActor({ reason, actor }))
  return { archived: true }
}

export const unarchive = (w: DecisionBuilder, { reason, actor }: ArchiveCommand): Answers['unarchive'] => {
  if (w.state.lifecycle.isArchived) w.add('session_unarchived', reasonAndActor({ reason, actor }))
  return { archived: false }
}

/** A prompt means that the session is in use again. */
export const unarchiveForPrompt = (w: DecisionBuilder, command: Command): void => {
  if (!w.state.lifecycle.isArchived || !PROMPTS.has(command.type)) return
  const { actor } = command as Command & { readonly actor?: string }
  w.add('session_unarchived', reasonAndActor({ actor }))
}

const PROMPTS: ReadonlySet<Command['type']> = new Set(['submit', 'steer', 'edit', 'reload'])
