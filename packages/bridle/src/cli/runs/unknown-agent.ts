// An agent that a server does not have. The server names those that it has.
import type { FabricError } from '../../client/index.ts'
import { EXIT_CODES, ExitError } from '../command.ts'
import { refusalParts } from '../refusal-text.ts'

/** A name in a body is refused with 400, which would be a usage error; a name in a path is not found. Both end in the same way. */
export const unknownAgent = (error: FabricError): ExitError | null => {
  const { field, reason } = refusalParts(error)
  return field === 'agent' ? new ExitError(EXIT_CODES.failed, reason) : null
}
