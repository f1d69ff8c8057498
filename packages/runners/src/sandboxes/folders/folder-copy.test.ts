import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CopyFaultCode, copyFolder, identityOf } from './folder-copy.ts'

const isLinux = process.platform === 'linux'
const isRoot = process.getuid?.() === 0
const limits = { bytes: 1024 ** 3, files: 10_000 }

let folder: string
let source: string
let target: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-copy-'))
  source = join(folder, 'source')
  target = join(folder, 'target')
  mkdirSync(source)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const fault = (attempt: Promise<unknown>): Promise<{ code: CopyFaultCode; message: string }> =>
  attempt.then(
    () => ({ code: 'none', message: '' }),
    (error) => error,
  )

describe('[O26] a copy of a folder', () => {
  test('has its files, folders and links as they are, with their modes', async () => {
    mkdirSync(join(source, 'a/b'), { recursive: true })
    writeFileSync(join(source, 'a/b/run.sh'), 'x', { mode: 0o755 })
    symlinkSync('/etc/passwd', join(source, 'out'))
    symlinkSync('nowhere', join(source, 'a/dangling'))
    mkdirSync(join(source, 'locked'))
    writeFileSync(join(source, 'locked/f'), 'y')
    chmodSync(join(source, 'locked'), 0o555)
    expect(await copyFolder(source, target, { limits })).toBe(2)
    expect(statSync(join(target, 'a/b/run.sh')).mode & 0o777).toBe(0o755)
    expect(statSync(join(target, 'locked')).mode & 0o777).toBe(0o555)
    expect([readlinkSync(join(target, 'out')), readlinkSync(join(target, 'a/dangling'))]).toEqual([
      '/etc/passwd',
      'nowhere',
    ])
    for (const each of [source, target]) chmodSync(join(each, 'locked'), 0o755)
  })

  test.skipIf(!isLinux)('keeps names that are no text', async () => {
    const name = Buffer.from([0x61, 0xff, 0xfe])
    writeFileSync(Buffer.concat([Buffer.from(`${source}/`), name]), 'x')
    await copyFolder(source, target, { limits })
    expect(readdirSync(target, { encoding: 'buffer' })).toEqual([name])
  })

  test('lets no program run as its owner', async () => {
    writeFileSync(join(source, 'tool'), 'x')
    chmodSync(join(source, 'tool'), 0o6755)
    await copyFolder(source, target, { limits })
    expect(statSync(join(target, 'tool')).mode & 0o7777).toBe(0o755)
  })

  test.skipIf(!isLinux)('takes no more than the blocks of a file with holes', async () => {
    execFileSync('truncate', ['-s', '900G', join(source, 'sparse')])
    writeFileSync(join(source, 'end'), Buffer.alloc(4096, 'x'))
    execFileSync('dd', [`if=${source}/end`, `of=${source}/sparse`, 'bs=4096', 'seek=100000', 'conv=notrunc'], {
      stdio: 'ignore',
    })
    await copyFolder(source, target, { limits: { bytes: 1024 ** 2, files: 10 } })
    const { size, blocks } = statSync(join(target, 'sparse'))
    expect(size).toBe(900 * 1024 ** 3)
    expect(blocks * 512).toBeLessThanOrEqual(64 * 1024)
    const read = execFileSync('dd', [`if=${target}/sparse`, 'bs=4096', 'skip=100000', 'count=1'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    expect(read.toString()).toBe('x'.repeat(4096))
  })

  test('skips FIFOs and sockets', async () => {
    execFileSync('mkfifo', [join(source, 'fifo')])
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(join(source, 'socket'), resolve))
    writeFileSync(join(source, 'file'), 'x')
    await copyFolder(source, target, { limits })
    await new Promise((resolve) => server.close(resolve))
    expect(readdirSync(target)).toEqual(['file'])
  })

  test.each([
    ['files', { bytes: 1024, files: 2 }, 'too_many'],
    ['bytes', { bytes: 5, files: 10 }, 'too_large'],
  ] as const)('stops at the limit of %s', async (_name, few, code) => {
    for (const name of ['a', 'b', 'c']) writeFileSync(join(source, name), 'xx')
    expect((await fault(copyFolder(source, target, { limits: few }))).code).toBe(code)
  })

  test('stops where folders are nested too deep', async () => {
    mkdirSync(join(source, Array(300).fill('d').join('/')), { recursive: true })
    expect((await fault(copyFolder(source, target, { limits }))).code).toBe('too_deep')
  })

  test('says what went wrong without a path of the server', async () => {
    mkdirSync(target)
    const { code, message } = await fault(copyFolder(source, target, { limits }))
    expect([code, message]).toEqual(['failed', 'The folder could not be copied (EEXIST).'])
  })

  test('leaves out what it is told to, whatever its name', async () => {
    mkdirSync(join(source, 'data'))
    writeFileSync(join(source, 'data/secret'), 'x')
    const data = identityOf(statSync(join(source, 'data')))
    renameSync(join(source, 'data'), join(source, 'other'))
    await copyFolder(source, target, { limits, isLeftOut: ({ identity }) => identity === data })
    expect(readdirSync(target)).toEqual([])
  })

  test.skipIf(!isRoot)('is given to another user, and what links point at is not (as root)', async () => {
    const outside = join(folder, 'outside')
    writeFileSync(outside, 'x')
    mkdirSync(join(source, 'a'))
    writeFileSync(join(source, 'a/f'), 'x')
    symlinkSync(outside, join(source, 'link'))
    await copyFolder(source, target, { limits, owner: { uid: 5301, gid: 5302 } })
    for (const name of ['', 'a', 'a/f', 'link']) {
      const { uid, gid } = lstatSync(join(target, name))
      expect([name, uid, gid]).toEqual([name, 5301, 5302])
    }
    expect(statSync(outside).uid).toBe(0)
  })

  test.skipIf(!isLinux)('never reads outside while the source is being replaced by links', async () => {
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'f'), 'SECRET')
    for (const name of ['d1', 'd2', 'd3']) {
      mkdirSync(join(source, name))
      writeFileSync(join(source, name, 'f'), 'own')
      writeFileSync(join(source, `${name}.txt`), 'own')
    }
    // The shell of an agent: folders and files become links that lead out, and again what they were.
    const swap = ['d1', 'd2', 'd3']
      .map(
        (d) => `mv ${d} ${d}.x; ln -s ${outside} ${d}; mv ${d}.txt ${d}.y; ln -s ${outside}/f ${d}.txt
        rm ${d} ${d}.txt; mv ${d}.x ${d}; mv ${d}.y ${d}.txt`,
      )
      .join('\n')
    const agent = spawn('sh', ['-c', `while :; do ${swap}\ndone`], { cwd: source, stdio: 'ignore' })
    try {
      for (let round = 0; round < 150; round++) {
        const to = `${target}${round}`
        await fault(copyFolder(source, to, { limits }))
        if (!existsSync(to)) continue
        expect(filesIn(to).map((path) => readFileSync(path, 'utf8'))).not.toContain('SECRET')
      }
    } finally {
      agent.kill('SIGKILL')
      await new Promise((resolve) => agent.once('close', resolve))
    }
  })

  test.skipIf(!isLinux)('refuses a source that leads through a link', async () => {
    mkdirSync(join(source, 'inner'))
    symlinkSync(source, join(folder, 'link'))
    expect((await fault(copyFolder(join(folder, 'link/inner'), target, { limits }))).code).toBe('changed')
    expect((await fault(copyFolder(join(folder, 'link'), target, { limits }))).code).toBe('failed')
    expect(existsSync(target)).toBe(false)
  })
})

/** Regular files alone: a link that was copied as a link shows nothing. (Node's own recursive listing follows links.) */
const filesIn = (path: string): string[] =>
  execFileSync('find', [path, '-type', 'f'], { encoding: 'utf8' }).split('\n').filter(Boolean)
