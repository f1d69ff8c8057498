// The first prompt as a line for a terminal in a project.
import { commandText } from '../actions/copy-as/command-text.ts'

/** The address that the command line uses by itself. */
const DEFAULT_URL = 'http://127.0.0.1:4317/'

interface HelloServer {
  readonly serverUrl: string
  readonly tenantId: string | undefined
}

export const helloCommand = ({ serverUrl, tenantId }: HelloServer): string =>
  `npx ${commandText('run', ['scripted', 'Hello'], {}, { serverUrl: serverUrl === DEFAULT_URL ? undefined : serverUrl, tenantId })}`
