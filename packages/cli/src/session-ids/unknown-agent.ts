// An agent that a server does not have: the words name those that it has.

import type { FabricClient, FabricError } from '@bridle/client/index'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { EXIT_CODES, ExitError } from '../command/command.ts'
import { refusalParts } from '../errors/refusal-text.ts'

export class UnknownAgentError extends ExitError {
  constructor(message: string) {
    super(EXIT_CODES.failed, message)
    this.name = 'UnknownAgentError'
  }
}

/** A name in a body is refused with 400, which would be a usage error; a name in a path is not found. Both end in the same way. */
export const unknownAgent = (error: FabricError): UnknownAgentError | null => {
  const { field, reason } = refusalParts(error)
  return field === 'agent' ? new UnknownAgentError(reason) : null
}

/**
 * Throws where the server has no agent of this name, in the words of the server. For a command that has found nothing: sessions of an
 * agent that is gone are still there, and a name in a query is not refused.
 */
export const checkAgent = async (fabric: FabricClient, agent: string | undefined): Promise<void> => {
  // A token that may not list agents learns less.
  const rows = agent === undefined ? null : await fabric.agents().catch(() => null)
  if (rows === null || rows.agents.some(({ name }) => name === agent)) return
  const names = rows.agents.flatMap(({ name, available, closed }) => (available && closed === undefined ? [name] : []))
  const others = names.length === 0 ? '' : `; there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`
  const near = nearestName(agent ?? '', names)
  throw new UnknownAgentError(`There is no agent ${agent}${others}.${near === null ? '' : ` Did you mean ${near}?`}`)
}
