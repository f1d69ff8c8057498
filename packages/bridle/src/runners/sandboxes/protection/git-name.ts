/**
 * Whether a file system may take the name for `.git`: some pass over characters that have no width, dots and spaces at the end, and have
 * a second, short name.
 */
export const isGitName = (name: string): boolean => {
  const plain = name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[. ]+$/, '')
    .toLowerCase()
  return plain === '.git' || plain === 'git~1'
}
