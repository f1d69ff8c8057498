import type { ConformanceCase } from './case.ts'
import { changeCases } from './cases/changes.ts'
import { fabricSocketCases } from './cases/fabric-socket.ts'
import { frontendCases } from './cases/frontend.ts'
import { historyCases } from './cases/history.ts'
import { httpCases } from './cases/http.ts'
import { openharnessCases } from './cases/openharness.ts'
import { streamCases } from './cases/streams.ts'
import { transportCases } from './cases/transport.ts'
import { voiceCases } from './cases/voice.ts'

export interface ProtocolPage {
  readonly title: string
  readonly document: string
  readonly cases: readonly ConformanceCase[]
}

export const protocolPages: readonly ProtocolPage[] = [
  { title: 'http', document: 'docs/protocol/http.md', cases: httpCases },
  { title: 'frontend', document: 'docs/protocol/frontend.md', cases: frontendCases },
  { title: 'changes', document: 'docs/protocol/frontend.md', cases: changeCases },
  { title: 'history', document: 'docs/protocol/history.md', cases: historyCases },
  { title: 'openharness', document: 'docs/protocol/openharness.md', cases: openharnessCases },
  { title: 'streams', document: 'docs/protocol/http.md', cases: streamCases },
  { title: 'fabric socket', document: 'docs/protocol/fabric-socket.md', cases: fabricSocketCases },
  { title: 'transport', document: 'docs/protocol/transport.md', cases: transportCases },
  { title: 'voice', document: 'docs/protocol/voice.md', cases: voiceCases },
]

export const ruleOf = ({ name }: ConformanceCase): string => /^\[([A-Z]+\d+)\]/.exec(name)?.[1] ?? ''
