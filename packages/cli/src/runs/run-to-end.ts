// Follows a run from its prompt to its end, for the terminal.

import type { FabricClient, FabricError, RunStatus } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import type { PrintableEvent } from '../terminal/event-printer.ts'
import type { RunPayload } from './run-input.ts'
import type { FolderChoice } from './workspace-option.ts'

export interface RunFollowOptions {
  readonly fabric: FabricClient
  readonly agent: string
  readonly id: string
  readonly input: RunPayload
  /** The idempotency key. Null: the prompt is new work. */
  readonly key?: string | null
  /** The folder of a new session. */
  readonly workspace?: FolderChoice | null
  readonly signal: AbortSignal
  /** The server has accepted the run, which continues even if this process ends. */
  readonly onAccepted?: (runId: string) => Promise<void>
  /** The next event waits for it. It throws to leave the run. */
  readonly onEvent: (event: PrintableEvent) => void | Promise<void>
  readonly onDisconnect?: ((cause: FabricError) => void) | undefined
  /** The server answers again, or for the first time. */
  readonly onReconnect?: (() => void) | undefined
}

/** The final status. Throws when the run was never accepted, or when the signal aborts. */
export const runToEnd = async (options: RunFollowOptions): Promise<RunStatus> => {
  const { fabric, agent, id, input, workspace, key = null, signal, onEvent, onDisconnect, onReconnect } = options
  const run = fabric.ask(agent, id, input, {
    ...{ signal, ...present({ onRetry: onDisconnect, onOpen: onReconnect }) },
    ...(workspace && { workspace }),
    ...(key !== null && { idempotencyKey: key }),
  })
  const { runId } = await run.accepted
  await options.onAccepted?.(runId)
  for await (const event of run) await onEvent(event)
  return run.result
}
