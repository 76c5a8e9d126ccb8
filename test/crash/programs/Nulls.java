// SPDX-License-Identifier: MIT
// Nulls.java - catches a NullPointerException often enough for it to be compiled.
public class Nulls {
	static class Node {
		int value;
		Node next;
	}

	static int read(Node node) {
		return node.next.value;
	}

	public static void main(String[] arguments) throws Exception {
		Node node = new Node();
		Thread[] threads = new Thread[4];
		final int[] caught = new int[threads.length];

		for (int i = 0; i < threads.length; i++) {
			final int mine = i;
			threads[i] = new Thread(() -> {
				Node full = new Node();
				full.next = node;
				for (int j = 0; j < 200000; j++) {
					try {
						read(j % 10 == 0 ? node : full);
					} catch (NullPointerException e) {
						caught[mine]++;
					}
				}
			});
			threads[i].start();
		}
		int sum = 0;
		for (int i = 0; i < threads.length; i++) {
			threads[i].join();
			sum += caught[i];
		}
		System.out.println("caught " + sum);
	}
}
