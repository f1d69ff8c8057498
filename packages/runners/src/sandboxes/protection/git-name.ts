/** Some file systems ignore invisible characters and trailing dots or spaces, and know `.git` by a second, short name. */
export const isGitName = (name: string): boolean => {
  const plain = name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[. ]+$/, '')
    .toLowerCase()
  return plain === '.git' || plain === 'git~1'
}
