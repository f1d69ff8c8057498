// Errors about an unknown agent list the known ones, for callers who may see them.
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

export const agentNotFound = (name: string, call: UnknownAgentCall): Denial =>
  new Denial('not_found', unknownAgent(name, call))

/** Omits agents that are private or cannot run here: choosing one would only lead to the next denial. */
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
