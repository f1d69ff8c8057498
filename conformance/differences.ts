// Where a target answers otherwise, case by case, and why. Empty is the aim.
export const differences: { readonly [target: string]: { readonly [name: string]: string } } = {}
