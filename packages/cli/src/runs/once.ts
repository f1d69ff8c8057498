// `--once` and `--idempotency-key` deduplicate work. The server logs the key with the run, so this survives restarts and
// concurrent callers.
import { createHash } from 'node:crypto'
import { FabricError } from '@bridle/client/http/error'
import type { FabricClient, RunStatus } from '@bridle/client/index'
import { canonicalJson, present } from '@bridle/events/json'
import { EXIT_CODES, failure, usageError } from '../command/command.ts'
import { type CliOutput, escapeControls } from '../terminal/output.ts'
import type { RunPayload } from './run-input.ts'
import type { FolderChoice } from './workspace-option.ts'

export const onceOptions = {
  once: { type: 'boolean', help: 'with --id: the same prompt and options are one run, also when sent again' },
  'idempotency-key': {
    type: 'string',
    value: 'KEY',
    help: 'the same, under a key of yours; without --id it names the session',
  },
} as const

export interface OnceFlags {
  readonly id?: string
  readonly once?: boolean
  readonly 'idempotency-key'?: string
}

export interface Work {
  readonly agent: string
  readonly input: RunPayload
  readonly workspace: FolderChoice | null
}

/** Session and key of the work. Key null: every call is new work. */
export const workName = (
  { id, once, 'idempotency-key': named }: OnceFlags,
  { agent, input, workspace }: Work,
): { readonly id: string | undefined; readonly key: string | null } => {
  if (once && named !== undefined) throw usageError('Give --once or --idempotency-key, not both.')
  if (named === '') throw usageError('--idempotency-key is empty.')
  if (named !== undefined) return { id: id ?? `${agent}-${shortHash([agent, named])}`, key: named }
  if (!once) return { id, key: null }
  // Without an id, tomorrow's report would match today's, which has the same prompt.
  if (id === undefined) throw usageError('--once needs --id, which names the work, such as --id "report-$(date +%F)".')
  return { id, key: `once-${shortHash([agent, id, input, workspace])}` }
}

const shortHash = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32)

/** A repeated request must be identical. */
export const backgroundRequest = (
  { agent, input: { prompt, ...fields }, workspace }: Work,
  id: string | undefined,
) => ({
  agent,
  prompt: prompt as string,
  ...present({
    session_id: id,
    input: Object.keys(fields).length === 0 ? undefined : fields,
    workspace: workspace ?? undefined,
  }),
})

/** The run that an earlier `--background` call started. Throws `error` if there is none. */
export const earlierRun = async (
  fabric: FabricClient,
  work: Work,
  { id, key, error }: { readonly id: string; readonly key: string | null; readonly error: unknown },
): Promise<RunStatus> => {
  if (key === null || !isConflict(error) || typeof work.input.prompt !== 'string') throw error
  const { run_id: runId } = await fabric
    .startBackground(backgroundRequest(work, id), { idempotencyKey: key })
    .catch((refusal: unknown) => {
      throw isConflict(refusal) ? error : refusal
    })
  if (runId === null) throw error
  return fabric.run(id, runId, work.agent)
}

export const sayOutcome = (out: CliOutput, { status, result, error }: RunStatus, attach: string): void => {
  if (!isFinalStatus(status))
    out.note(`An earlier call started this work, which continues in the background. Watch it with ${attach}`)
  if (error !== undefined) out.line(`✗ ${escapeControls(error.message)}`)
  if (result !== undefined && result !== null)
    out.line(escapeControls(typeof result === 'string' ? result : JSON.stringify(result)))
}

const isConflict = (error: unknown): error is FabricError => error instanceof FabricError && error.status === 409

export const isFinalStatus = (status: string): boolean => ['completed', 'failed', 'cancelled'].includes(status)

/** A run in progress has not failed. */
export const exitCodeOf = (status: string): number =>
  status === 'failed' ? EXIT_CODES.failed : status === 'cancelled' ? EXIT_CODES.cancelled : EXIT_CODES.ok

/** Explains a key that the session already uses for other work. */
export const conflictError = (error: unknown, id: string | undefined, flags: OnceFlags): unknown =>
  flags['idempotency-key'] !== undefined && isConflict(error)
    ? failure(
        `${error.message} In the session ${id} a key stands for one prompt with its options: send the same ones, or name another key.`,
      )
    : error
