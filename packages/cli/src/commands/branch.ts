import { FabricError } from '@bridle/client/http/error'
import type { FabricClient, SessionDetail } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { actOptions, defineCommand, failure, sessionOptions, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { createClient, repeatedFlags } from '../config/settings.ts'
import { confirmedContinuation, continuationOptions } from '../imports/import-confirmation.ts'
import { parseEventFlag } from '../session-ids/event-id.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'
import { findSession } from '../session-ids/session-prefix.ts'

export const branch = defineCommand({
  options: {
    from: { type: 'string', value: 'EVENT', help: 'the event, such as ev-12; else the newest point to branch from' },
    checkpoint: { type: 'string', value: 'N', help: 'instead: the number of a checkpoint' },
    id: { type: 'string', value: 'SESSION', help: 'the id of the new session; else the server chooses one' },
    title: { type: 'string', value: 'TEXT', help: 'the title of the new session' },
    ...continuationOptions,
    ...actOptions,
    ...sessionOptions,
  },
  notes: `The session itself does not change. Without a prompt the new session waits for one.
The prompts of an imported session are shown first; a script confirms them with --confirm.
Standard output has the id of the new session alone. bridle checkpoints lists the points to branch from.`,
  run: async ({ args: [session = '', prompt], flags, env, out }) => {
    const { from, checkpoint, id, title, reason, actor, agent } = flags
    if (from !== undefined && checkpoint !== undefined)
      throw usageError('--from and --checkpoint name the same thing; take one of them.')
    const named = from === undefined ? undefined : parseEventFlag('--from', from)
    const fabric = await createClient(flags, env)
    const detail = await findSession(fabric, session, agent)
    const serverFlags = repeatedFlags(flags)
    const event = named ?? pointOf(detail, checkpoint)
    if (event === undefined) {
      const nextFlags = await sessionFlags(fabric, { id: detail.id, agent }, serverFlags)
      throw failure(noPointText(detail.id, checkpoint, nextFlags))
    }
    const continuation = await confirmedContinuation(detail, { flags, env, out })
    const patient = await createClient(flags, env, undefined, { answerMs: null })
    const made = await patient
      .branch(detail.id, {
        ...present({ from_event_id: event, prompt, title, session_id: id, reason, actor, agent: detail.agent }),
        ...continuation,
      })
      .catch(async (error: unknown) => {
        const isConflict = error instanceof FabricError && error.status === 409
        if (id === undefined || !isConflict || !(await isTaken(fabric, id))) throw error
        throw failure(`There is a session ${id} already. Choose another --id, or leave it out.`, { cause: error })
      })
    const { id: sessionId, status } = made
    if (out.isJson) out.row({ sessionId, agent: made.agent, parent: made.parent, status })
    else {
      out.line(sessionId)
      const nextFlags = await sessionFlags(fabric, { id: sessionId, agent: made.agent }, serverFlags)
      const next =
        prompt === undefined
          ? `${commandName(env)} run ${made.agent} "…" --id ${sessionId}${serverFlags}`
          : `${commandName(env)} attach ${sessionId}${nextFlags}`
      out.note(`Branched from ${detail.id} at ev-${made.parent.seq}. ${next}`)
    }
  },
})

/** Branches are refused for other reasons too. */
const isTaken = (fabric: FabricClient, id: string): Promise<boolean> =>
  fabric.session(id).then(
    () => true,
    () => false,
  )

const pointOf = (
  { checkpoints, resume_points: points }: SessionDetail,
  checkpoint: string | undefined,
): string | undefined =>
  checkpoint === undefined
    ? points.at(-1)?.event_id
    : checkpoints.find(({ sequence }) => String(sequence) === checkpoint)?.event_id

const noPointText = (id: string, checkpoint: string | undefined, nextFlags: string): string =>
  checkpoint === undefined
    ? `${id} has no point to branch from yet. Name one of its events with --from; ${commandName()} logs ${id}${nextFlags} lists them.`
    : `${id} has no checkpoint ${checkpoint} among its newest. Try ${commandName()} checkpoints ${id}${nextFlags}`
