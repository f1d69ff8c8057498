export * from '@bridle/workspace/index'
