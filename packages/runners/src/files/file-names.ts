// Names of uploaded files as engines see them. Callers choose them and engines may paste them into commands, so few characters stay.

/** Characters of a file's name; four bytes each are still less than the 255 bytes that file systems take. */
const FILE_NAME_CHARS_MAX = 60

/** A name that is one part of a path, has an ending where the original has one, and means nothing to a shell. */
export const safeFileName = (name: string | null): string => {
  const clean = (name ?? '').normalize('NFC').replace(/[^\p{L}\p{N}._-]/gu, '_')
  // A leading dot hides a file, and a leading dash looks like an option.
  const [base, ending] = splitEnding(clean.replace(/^[._-]+/, ''))
  const room = FILE_NAME_CHARS_MAX - ending.length
  return `${[...base].slice(0, room).join('') || 'file'}${ending}`
}

/** Whether a runner takes the name: every safe one, and no other. */
export const isSafeFileName = (name: string): boolean => name !== '' && safeFileName(name) === name

const splitEnding = (name: string): readonly [string, string] => {
  const [, base = name, ending = ''] = /^(.*?)(\.[A-Za-z0-9]{1,10})?$/s.exec(name) ?? []
  return [base, ending]
}
