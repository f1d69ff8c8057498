// What is asked of a runner, parsed, and asked by somebody who may still ask it.
import type { ServerResponse } from 'node:http'
import type { GenericSchema } from 'valibot'
import { parseBody } from './protocol.ts'
import type { RunRecord } from './run-record.ts'
import { fail } from './runner-http.ts'

/** Parsed, and from an owner of the run that is not deposed. */
export const take = async <T extends object>(
  outgoing: ServerResponse,
  schema: GenericSchema<unknown, T>,
  body: unknown,
  run: RunRecord | null,
  act: (value: T) => unknown,
): Promise<void> => {
  const parsed = parseBody(schema, body)
  if ('problem' in parsed) return fail(outgoing, 400, 'bad_request', parsed.problem)
  if (run && isStale(outgoing, run, (parsed.value as { epoch?: number }).epoch)) return
  await act(parsed.value)
}

/** Answers where a later owner was seen. Epochs are the session's: of another run they say nothing. */
export const isStale = (outgoing: ServerResponse, run: RunRecord, epoch = run.epoch): boolean => {
  if (epoch < run.epoch) fail(outgoing, 409, 'stale_epoch', `Epoch ${epoch} is over; ${run.epoch} was seen.`)
  else run.epoch = epoch
  return epoch < run.epoch
}
