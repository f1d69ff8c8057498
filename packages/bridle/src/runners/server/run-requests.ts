// Requests to a runner: their bodies are parsed, and callers that a later owner of the run has replaced are refused.
import type { ServerResponse } from 'node:http'
import type { GenericSchema } from 'valibot'
import { parseBody } from '../protocol.ts'
import type { RunRecord } from './run-record.ts'
import { sendError } from './runner-http.ts'

/** Acts on a body that is valid and comes from the run's latest owner; answers with the refusal otherwise. */
export const handleBody = async <T extends object>(
  outgoing: ServerResponse,
  schema: GenericSchema<unknown, T>,
  body: unknown,
  run: RunRecord | null,
  act: (value: T) => unknown,
): Promise<void> => {
  const parsed = parseBody(schema, body)
  if ('problem' in parsed) return sendError(outgoing, 400, 'bad_request', parsed.problem)
  if (run && refuseStaleEpoch(outgoing, run, (parsed.value as { epoch?: number }).epoch)) return
  await act(parsed.value)
}

/** Answers with a refusal where a later owner was seen. Epochs belong to a session, so those of other runs are not compared. */
export const refuseStaleEpoch = (outgoing: ServerResponse, run: RunRecord, epoch = run.epoch): boolean => {
  if (epoch < run.epoch) sendError(outgoing, 409, 'stale_epoch', `Epoch ${epoch} is over; ${run.epoch} was seen.`)
  else run.epoch = epoch
  return epoch < run.epoch
}
