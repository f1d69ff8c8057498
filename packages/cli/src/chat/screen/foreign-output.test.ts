import { expect, test } from 'vitest'
import { catchOutput } from './foreign-output.ts'

test('[C190] what others print is caught whole, and the streams are given back', async () => {
  const before = [process.stdout.write, process.stderr.write]
  const texts: string[] = []
  const { release } = catchOutput((text) => texts.push(text))
  const flushed = new Promise<void>((resolve) => process.stdout.write('one\n', () => resolve()))
  process.stderr.write(Buffer.from('zwei ä\n'))
  release()
  await flushed
  expect(texts).toEqual(['one\n', 'zwei ä\n'])
  expect([process.stdout.write, process.stderr.write]).toEqual(before)
})
