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
  readonly key?: string | null
  readonly workspace?: FolderChoice | null
  readonly signal: AbortSignal
  /** The server has accepted the run, which continues even if this process exits. */
  readonly onAccepted?: (runId: string) => Promise<void>
  /** Awaited before the next event. Throws to detach from the run. */
  readonly onEvent: (event: PrintableEvent) => void | Promise<void>
  readonly onDisconnect?: ((cause: FabricError) => void) | undefined
  readonly onReconnect?: (() => void) | undefined
}

/** Returns the final status. Throws if the run was never accepted or the signal aborts. */
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
