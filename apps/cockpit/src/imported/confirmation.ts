// The confirmation of an imported session, for every way to branch or replay one: the server refuses the first request, a dialog shows the
// prompts, and the same request goes out again with what the person has confirmed.
import type { BranchRequest, FabricClient, SessionDetail } from 'bridle/client'

export type Continuation = Pick<BranchRequest, 'workspace' | 'prompts_digest'>

export interface OpenConfirmation {
  readonly detail: SessionDetail
  /** Null = the person does not want it. */
  readonly settle: (confirmed: Continuation | null) => void
}

let open: OpenConfirmation | null = null
const listeners = new Set<() => void>()

const show = (next: OpenConfirmation | null): void => {
  open = next
  for (const listener of listeners) listener()
}

export const openConfirmation = (): OpenConfirmation | null => open

export const subscribeConfirmation = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The client whose branches and replays of imported sessions ask the person first. */
export const confirmingClient = (client: FabricClient): FabricClient => {
  const confirmed = async <T>(id: string, agent: string | undefined, call: (more: Continuation) => Promise<T>) => {
    try {
      return await call({})
    } catch (error) {
      if (!needsConfirmation(error)) throw error
      const answer = await ask(await client.session(id, agent))
      if (!answer) throw new Error('Nothing was started.', { cause: error })
      return call(answer)
    }
  }
  return {
    ...client,
    branch: (id, from) => confirmed(id, from.agent, (more) => client.branch(id, { ...from, ...more })),
    replay: (id, change = {}) => confirmed(id, change.agent, (more) => client.replay(id, { ...change, ...more })),
  }
}

/** The server answers so on each wire, with the code as `type` or `code`. */
export const needsConfirmation = (error: unknown): boolean => {
  const { type, code } = (error ?? {}) as { readonly type?: unknown; readonly code?: unknown }
  return type === 'confirm_import' || code === 'confirm_import'
}

const ask = (detail: SessionDetail): Promise<Continuation | null> => {
  open?.settle(null)
  const { promise, resolve } = Promise.withResolvers<Continuation | null>()
  const settle = (confirmed: Continuation | null): void => {
    if (open === opened) show(null)
    resolve(confirmed)
  }
  const opened = { detail, settle }
  show(opened)
  return promise
}
