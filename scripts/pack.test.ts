// What users install is the tarball, on plain Node with no flags: only these tests see dist.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forNode, forPages, forWorkers, manifest, PackedProject, root } from './packed.suite.ts'

const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
const project = new PackedProject()

beforeAll(() => project.make(), 120_000)
afterAll(() => project.remove())

describe('the packed package', () => {
  test.each(forNode)('exports something from %s', (entry) => {
    expect(project.namesOf(entry)).not.toBe('')
    expect(typeErrors(entry)).toBe('')
  })

  test.each(forWorkers)('has %s with its types', (entry) => {
    expect(existsSync(join(project.installed, manifest.exports[entry]!.default))).toBe(true)
    expect(typeErrors(entry)).toBe('')
  })

  test('brings its dependencies and nothing else', () => {
    const { packages } = JSON.parse(readFileSync(join(project.folder, 'node_modules/.package-lock.json'), 'utf8')) as {
      packages: Record<string, object>
    }
    const names = Object.keys(packages).map((path) => path.replace('node_modules/', ''))
    expect(names.toSorted()).toEqual([manifest.name, ...Object.keys(manifest.dependencies)].toSorted())
  })

  describe('with its optional peers', () => {
    beforeAll(() => {
      const peers = [...Object.keys(manifest.peerDependencies), 'react-dom', '@types/react']
      project.install(...peers.map((peer) => `${peer}@${devDependencies[peer]}`))
    }, 120_000)

    test.each(forPages)('exports something from %s', (entry) => {
      expect(project.namesOf(entry)).not.toBe('')
      expect(typeErrors(entry)).toBe('')
    })
  })

  test('carries no tests and no sources', () => {
    expect(existsSync(join(project.installed, 'src'))).toBe(false)
    expect(existsSync(join(project.installed, 'dist/boundaries.test.js'))).toBe(false)
  })

  test('brings the wire exchanges that `bridle conformance` plays', () => {
    expect(project.command('bridle', ['conformance', '--help'])).toContain('conformance-')
    expect(existsSync(join(project.installed, 'dist/conformance/cases/http.js'))).toBe(true)
  })

  test.each(Object.entries(manifest.bin))('%s --version prints the version', (name, file) => {
    expect(existsSync(join(project.installed, file))).toBe(true)
    expect(project.command(name, ['--version'])).toContain(manifest.version)
  })

  test('as @fabric-harness/node, @fabric-harness/sdk and harness-sdk it has what the documents import', () => {
    project.installAs('@fabric-harness/node', '@fabric-harness/sdk', 'harness-sdk')
    const program = `
      import { startDevServer } from '@fabric-harness/node'
      import { connectFabricWs, isEvent } from '@fabric-harness/sdk'
      import { HarnessClient } from 'harness-sdk'
      const server = await startDevServer({ port: 0, data: 'aliased', authToken: process.env.FABRIC_HARNESS_API_TOKEN })
      const { status } = await fetch(server.url + '/health')
      await server.close()
      console.log(status, typeof connectFabricWs, typeof isEvent, typeof HarnessClient)`
    expect(project.program(program)).toBe('200 function function function')
    expect(
      project.typeErrorsOf(
        `import { startDevServer } from '@fabric-harness/node'\nawait startDevServer({ port: 0 })\n`,
      ),
    ).toBe('')
  }, 120_000)
})

const typeErrors = (entry: string): string => {
  expect(existsSync(join(project.installed, manifest.exports[entry]!.types))).toBe(true)
  return project.typeErrors(entry)
}
