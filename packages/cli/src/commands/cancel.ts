import type { FabricClient, SessionDetail } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { actOptions, defineCommand, sessionOptions } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { createClient, repeatedFlags } from '../config/settings.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'
import { withSession } from '../session-ids/session-prefix.ts'

export const cancel = defineCommand({
  options: {
    run: { type: 'string', value: 'ID', help: 'this run, also one that is queued; else the one in progress' },
    queue: { type: 'boolean', help: 'the prompts that wait for their turn, too' },
    ...actOptions,
    ...sessionOptions,
  },
  notes: `The session stays, and takes the next prompt.
Background work ends: its waiting prompts are dropped, and bridle branch goes on.
Where nothing runs, nothing happens, and the exit code is 0.`,
  run: async ({ args: [session = ''], flags, env, out }) => {
    const { run: runId, queue, reason, actor, agent } = flags
    const fabric = await createClient(flags, env)
    const { before, receipt } = await withSession(fabric, session, agent, async (each) => ({
      // Read first, because the receipt may be older or newer than the end of the queue. Not every token may read sessions.
      before: out.isJson ? null : await fabric.session(each, agent).catch(() => null),
      receipt: await fabric.cancel(each, present({ runId, queue, reason, actor, agent })),
    }))
    const { id, cancelled, status } = receipt
    if (out.isJson) {
      out.row({ sessionId: id, agent: receipt.agent, cancelled, status })
      return
    }
    out.line(cancelText(receipt, before, flags))
    if (hasEnded(receipt)) {
      const nextFlags = await sessionFlags(fabric, { id, agent }, repeatedFlags(flags))
      out.note(`To go on, branch from it: ${commandName(env)} branch ${id} "…"${nextFlags}`)
    }
  },
})

type CancelReceipt = Awaited<ReturnType<FabricClient['cancel']>>

/** Cancelling the run of background work ends its session. */
const hasEnded = ({ kind, status, cancelled }: CancelReceipt): boolean =>
  cancelled && kind === 'background' && status === 'cancelled'

const cancelText = (
  receipt: CancelReceipt,
  before: SessionDetail | null,
  { run, queue }: { readonly run?: string; readonly queue?: boolean },
): string => {
  const { id, cancelled } = receipt
  const isEnd = hasEnded(receipt)
  if (!cancelled) return `Nothing was running in ${id}.`
  if (!isEnd && !queue && before !== null && run !== undefined && run !== before.runId)
    return `Dropped the waiting prompt ${run} of ${id}.`
  const dropped = isEnd || queue ? (before?.queued ?? 0) : 0
  const more = dropped === 0 ? '' : `; ${dropped} waiting ${dropped === 1 ? 'prompt was' : 'prompts were'} dropped`
  return isEnd ? `Cancelled ${id}, which ends it${more}.` : `Cancelled the run of ${id}${more}.`
}
