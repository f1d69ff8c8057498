// The words about an agent that a server does not have. They name the agents that it has, to callers who may list them.
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { truncate } from '@bridle/kernel/text/truncate'
import type { AppPorts } from '../../app.ts'
import { Denial } from '../denials/denial.ts'
import { DENIAL_CHARS_MAX, WARNING_NAME_CHARS_MAX } from '../limits.ts'
import type { Access } from './authenticate.ts'
import { isExposed, mayListAgents } from './exposure.ts'

interface UnknownAgentCall {
  readonly access: Pick<Access, 'scopes' | 'sessionId'>
  readonly ports: Pick<AppPorts, 'agents' | 'exposeAll' | 'expose'>
}

/** A path or a socket that names such an agent. */
export const agentNotFound = (name: string, call: UnknownAgentCall): Denial =>
  new Denial('not_found', unknownAgent(name, call))

/**
 * Agents that are private in production and agents that cannot run here are left out: a caller who chose one of them would only
 * meet the next denial.
 */
export const unknownAgent = (name: string, { access, ports }: UnknownAgentCall): string => {
  const names = mayListAgents(access)
    ? [...ports.agents].filter(([each, { needs }]) => !needs && isExposed(ports, each)).map(([each]) => each)
    : []
  const others = names.length === 0 ? '' : `; there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`
  const near = nearestName(name, names)
  const hint = near === null ? '' : ` Did you mean ${near}?`
  const text = shortened(`There is no agent ${shortened(name, WARNING_NAME_CHARS_MAX)}${others}.`, DENIAL_CHARS_MAX)
  return `${text}${hint}`
}

const shortened = (text: string, charsMax: number): string =>
  text.length > charsMax ? `${truncate(text, charsMax)}…` : text
