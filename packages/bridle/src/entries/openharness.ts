export * from '@bridle/openharness/index'
