// A shell reads the lines that the cockpit copies.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { commandText } from '../src/actions/copy-as/command-text.ts'
import { curlText, quoted } from '../src/actions/copy-as/curl.ts'

const server = { serverUrl: 'http://127.0.0.1:4317/', hasToken: true, tenantId: 'acme' }
const HOSTILE = [
  "'; rm -rf ~; echo '",
  '$(id)',
  '`id`',
  '"$HOME"',
  'a b',
  '--help',
  '-d@/etc/passwd',
  '\\',
  "it's",
  '!!',
  '*',
  'ä\n§',
]

/** The words as a shell reads them. */
const shellWords = (line: string): string[] =>
  execFileSync('sh', ['-c', `for word in ${line.replaceAll('\\\n', ' ')}; do printf '%s\\0' "$word"; done`], {
    encoding: 'utf8',
  })
    .split('\0')
    .slice(0, -1)

test('[C67] a shell reads names as they are, whatever characters they have', () => {
  for (const name of HOSTILE) {
    expect(shellWords(quoted(name))).toEqual([name])
    const command = shellWords(
      commandText('attach', [name], { agent: name }, { serverUrl: 'http://h/', tenantId: name }),
    )
    expect(command).toContain(`--agent=${name}`)
    expect(command).toContain(`--tenant=${name}`)
    expect(command.at(-1)).toBe(name)
    if (name.startsWith('-')) expect(command.at(-2)).toBe('--')
    const curl = shellWords(
      curlText(
        { method: 'POST', path: `sessions/${encodeURIComponent(name)}/pause`, body: name },
        { ...server, tenantId: name, hasToken: false },
      ),
    )
    expect(curl.slice(0, 3)).toEqual(['curl', '-X', 'POST'])
    expect(decodeURIComponent(curl[3] ?? '')).toBe(`http://127.0.0.1:4317/sessions/${name}/pause`)
    expect(curl.slice(4)).toEqual(['-H', `x-fabric-tenant: ${name}`, name.startsWith('@') ? '--data-raw' : '-d', name])
  }
  expect(curlText({ method: 'PUT', path: 'a', body: '@/etc/passwd' }, server)).toContain("--data-raw '@/etc/passwd'")
})
