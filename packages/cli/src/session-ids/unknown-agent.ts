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

/** An unknown name in a body is refused with 400, one in a path with 404. Both become the same error. */
export const unknownAgent = (error: FabricError): UnknownAgentError | null => {
  const { field, reason } = refusalParts(error)
  return field === 'agent' ? new UnknownAgentError(reason) : null
}

/** Throws if the agent does not exist. For empty results, because queries accept names of removed agents. */
export const checkAgent = async (fabric: FabricClient, agent: string | undefined): Promise<void> => {
  // Not every token may list agents.
  const rows = agent === undefined ? null : await fabric.agents().catch(() => null)
  if (rows === null || rows.agents.some(({ name }) => name === agent)) return
  const names = rows.agents.flatMap(({ name, available, closed }) => (available && closed === undefined ? [name] : []))
  const others = names.length === 0 ? '' : `; there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`
  const near = nearestName(agent ?? '', names)
  throw new UnknownAgentError(`There is no agent ${agent}${others}.${near === null ? '' : ` Did you mean ${near}?`}`)
}
