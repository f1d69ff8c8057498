// A project with `.env` and `--agents`, through the real command.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CliWorkspace, parseJsonRows } from '../cli.suite.ts'

let work: CliWorkspace
beforeAll(() => {
  work = new CliWorkspace()
  delete work.env.ANTHROPIC_API_KEY
  const write = (file: string, text: string) => writeFileSync(join(work.folder, file), text)
  for (const folder of ['bots', 'more', 'own']) mkdirSync(join(work.folder, folder))
  write('package.json', '{ "type": "module" }')
  const entry = new URL('../../../bridle/src/index.ts', import.meta.url).href
  const names = "['SHOP_URL', 'ANTHROPIC_API_KEY', 'FABRIC_HARNESS_API_TOKEN'].map((name) => process.env[name] ?? null)"
  for (const [folder, name] of [
    ['bots', 'teller'],
    ['more', 'other'],
    ['own', 'assistant'],
  ])
    write(
      `${folder}/${name}.ts`,
      `import { agent } from '${entry}'\nexport default agent({ name: '${name}', run: () => ${names} })\n`,
    )
  write(
    '.env',
    'SHOP_URL=of-the-file\nANTHROPIC_API_KEY=canary-key\nFABRIC_HARNESS_API_TOKEN=canary-token\nBRIDLE_AGENTS=bots\n',
  )
})
afterAll(() => work.remove())

const resultOf = (stdout: string) => parseJsonRows(stdout).at(-1)?.result

test('[C100] [C102] [O82] run takes .env for its server: an agent reads its variables and keys, not the token of the server', async () => {
  const env = await work.unnamed()
  const runs = await Promise.all([
    work.bridle(['run', 'teller', 'x', '--data', 'one'], { env }),
    work.bridle(['run', 'other', 'x', '--data', 'two', '--agents', 'more'], { env: { ...env, SHOP_URL: 'real' } }),
  ])
  expect(runs.map(({ code, stdout }) => [code, resultOf(stdout)])).toEqual([
    [0, ['of-the-file', 'canary-key', null]],
    [0, ['real', 'canary-key', null]],
  ])
})

test('[C100] start takes its token and keys from .env, and shows them to nobody', async () => {
  const server = work.start(['start', '--port', '0', '--data', 'three'])
  const url = /http:\S+/.exec(await server.until((line) => line.includes('ready at')))?.[0] ?? ''
  const asked = (token: string) => fetch(`${url}/ready`, { headers: { authorization: `Bearer ${token}` } })
  const { agents } = (await (await asked('canary-token')).json()) as { agents: { name: string }[] }
  expect(agents.map(({ name }) => name)).toEqual(expect.arrayContaining(['teller']))
  expect(await (await asked('wrong')).json()).not.toHaveProperty('agents')
  if (existsSync('/proc/self/environ'))
    expect(readFileSync(`/proc/${server.process.pid}/environ`, 'utf8')).not.toContain('canary')
  // A verb in the same folder finds the token there, too.
  expect((await work.bridle(['sessions', '--url', url])).code).toBe(0)
  server.process.kill('SIGTERM')
  const { code, stdout, stderr } = await server.ended
  expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining('canary')])
})

test('[C100] a runner does not read .env: its folder is a repository of somebody else', async () => {
  const runner = work.start(['runner', '--port', '0'])
  const { url } = JSON.parse(await runner.until((line) => line.startsWith('{'))) as { url: string }
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ hasAnthropicKey: false })
  runner.process.kill('SIGTERM')
  await runner.ended
})

test('[C102] doctor looks at the same agents; a folder that is not there is a usage error', async () => {
  const found = await work.bridle(['doctor', '--json', '--url', 'http://127.0.0.1:1', '--agents', 'more'])
  expect(parseJsonRows(found.stdout).map(({ check }) => check)).toEqual(expect.arrayContaining(['agent other']))
  for (const verb of ['start', 'dev', 'build', 'doctor'])
    expect(await work.bridle([verb, '--agents', 'nowhere'])).toMatchObject({
      code: 2,
      stderr: 'bridle: There is no folder "nowhere" with agents.\n',
    })
})

test('[C14] an assistant of the project replaces the one of the server: doctor names it once, without a server and with one', async () => {
  const assistants = async (url: string) => {
    const { stdout } = await work.bridle(['doctor', '--json', '--url', url, '--agents', 'own'])
    return parseJsonRows(stdout).filter(({ check }) => check === 'agent assistant')
  }
  expect(await assistants('http://127.0.0.1:1')).toEqual([
    { check: 'agent assistant', state: 'ok', detail: 'own/assistant.ts' },
  ])
  const server = work.start(['start', '--port', '0', '--data', 'four', '--agents', 'own'])
  const url = /http:\S+/.exec(await server.until((line) => line.includes('ready at')))?.[0] ?? ''
  expect(await assistants(url)).toEqual([expect.objectContaining({ state: 'ok' })])
  server.process.kill('SIGTERM')
  await server.ended
})
